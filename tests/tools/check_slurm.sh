#!/bin/bash
# A sweep on a real Slurm of one node: check_slurm.sh RUGA. One task is killed and requeued in the middle; at the end
# all state hashes are those of single runs. munged, slurmctld and slurmd are Debian's (slurm-wlm, munge). They run as
# this user with ports, keys and directories of their own, and are stopped by their process numbers. Where they can't
# start, the test is skipped (77) with the reason.
set -uo pipefail
ruga=$1
folder=$(mktemp -d "${TMPDIR:-/tmp}/ruga-slurm-XXXXXX")
daemons=()

stop() {
    local code=$?
    for process in "${daemons[@]}"; do kill "$process" 2>/dev/null; done
    for process in "${daemons[@]}"; do wait "$process" 2>/dev/null; done
    if [ "$code" != 0 ] && [ "$code" != 77 ]; then tail -n 20 "$folder"/*.log; fi
    rm -rf "$folder"
    exit "$code"
}
trap stop EXIT
trap 'exit 1' INT TERM HUP

skip() { echo "skipped: $*" && exit 77; }
fail() { echo "failed: $*" && exit 1; }

# Waits until a command succeeds: wait_for SECONDS COMMAND…
wait_for() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.2
    done
}

# Programs of the system are in /usr/sbin, which is not on every user's path.
PATH=$PATH:/usr/sbin:/sbin
for program in munged slurmctld slurmd sbatch squeue scontrol; do
    command -v $program >/dev/null || skip "$program is not installed; Debian has it in slurm-wlm and munge"
done

# ---- Two ports that nobody listens on.
read -r controller_port node_port < <(python3 - <<'END'
import socket
sockets = [socket.socket() for _ in range(2)]
for s in sockets: s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))
END
)
[ -n "${node_port:-}" ] || skip "no free ports"

chmod 755 "$folder"
mkdir "$folder/state" "$folder/spool" "$folder/munge"
(umask 077 && head -c 128 /dev/urandom >"$folder/munge/key")
host=$(hostname -s 2>/dev/null || uname -n)
export SLURM_CONF=$folder/slurm.conf
cat >"$SLURM_CONF" <<END
ClusterName=ruga
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$controller_port
SlurmdPort=$node_port
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2
KillWait=2
ReturnToService=2
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END

# ---- The daemons.
munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
    --pid-file="$folder/munge/pid" --seed-file="$folder/munge/seed" --log-file="$folder/munge.log" \
    >"$folder/munged.log" 2>&1 &
daemons+=($!)
wait_for 10 munge --socket="$folder/munge/socket" --no-input || skip "munged does not start: $(tail -n 1 "$folder/munged.log")"
slurmctld -D -f "$SLURM_CONF" >"$folder/slurmctld.log" 2>&1 &
daemons+=($!)
wait_for 20 scontrol ping || skip "slurmctld does not start: $(grep -m 1 -E 'fatal|error' "$folder/slurmctld.log")"
slurmd -D -f "$SLURM_CONF" -N "$host" >"$folder/slurmd.log" 2>&1 &
daemons+=($!)
node_is_idle() { sinfo --noheader --format=%T | grep -q '^idle'; }
wait_for 30 node_is_idle || skip "slurmd does not start: $(grep -m 1 -E 'fatal|error' "$folder/slurmd.log")"
echo "Slurm $(slurmd -V | cut -d' ' -f2) runs on $host"

# ---- The sweep. Its first run takes some seconds, so that it can be requeued in the middle.
cd "$folder" || exit 1
"$ruga" new drape -o scene.json -q || fail "no scene"
set=(--set "time.substeps=8,9,10")
common=(--set time.frames=30 --set output.checkpoint=2)
"$ruga" sweep scene.json "${set[@]}" "${common[@]}" -o out --submit --interval 0.5 --no-pictures >sweep.log 2>&1 &
sweep=$!
first='out/runs/substeps=8,frames=30,checkpoint=2'
has_begun() { ls "$first"/checkpoint* && [ "$(wc -l <"$first/measures.csv")" -ge 4 ]; }
wait_for 120 has_begun || fail "the first task does not begin: $(cat sweep.log)"
job=$(cat out/slurm.txt)
before=$(wc -l <"$first/measures.csv")
scontrol requeue "${job}_0" || fail "the task can't be requeued"
echo "requeued task ${job}_0 after $((before - 1)) of 30 frames"
[ "$before" -lt 31 ] || fail "the run was complete before it was requeued"
wait $sweep || fail "the sweep failed: $(cat sweep.log)"
grep -v ALF_PROGRESS sweep.log

# ---- Every hash is that of a single run with the same instruction set.
export RUGA_ISA=$(sed -n 's/^isa //p' out/sweep.txt)
for substeps in 8 9 10; do
    single=$("$ruga" run scene.json --set time.substeps=$substeps "${common[@]}" -o single.run --replace --json |
        sed -n 's/.*"state_hash": "\(.*\)".*/\1/p')
    swept=$(sed -n 's/^state_hash //p' "out/results/substeps=$substeps,frames=30,checkpoint=2.txt")
    [ -n "$single" ] && [ "$single" = "$swept" ] || fail "substeps $substeps: $swept, but a single run has $single"
done
restarts=$(grep -c 'resume' "$first/log.txt")
[ "$restarts" -ge 1 ] || fail "the requeued run was not resumed"
echo "three runs, one of them requeued, have the hashes of single runs"
