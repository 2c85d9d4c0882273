# The two commands to know: `make demo` and `make test`. Each does all of its set-up; `make help` lists the others.
# CMake and Ninja do the work; this file only says which build is wanted.

BUILD := build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 60
WERROR ?= OFF
# Minutes after which `make test-long` starts nothing new; empty: no cap.
TEST_LONG_MINUTES ?=

SETUP := tools/setup.sh
CONFIGURE = cmake -S . -G Ninja --log-level=WARNING -DRUGA_WERROR=$(WERROR)
# $(call COMPILE,folder,targets): all targets when none are named.
COMPILE = cmake --build $(1) -j $(JOBS) $(if $(2),--target $(2)) -- --quiet
# One more than processors: some tests wait for processes and files.
CTEST = ctest -j $$(($(JOBS) + 1)) --output-on-failure

# Ninja is the one that works in parallel.
.NOTPARALLEL:
.PHONY: all help demo test test-long bench lint format fuzz coverage install docs-images docs-scene clean

all:
	@$(SETUP) build
	@$(CONFIGURE) -B $(BUILD) >/dev/null
	@$(call COMPILE,$(BUILD),ruga_command ruga_shared ruga_static ruga_render_shared ruga_render_static \
		ruga_decode_shared ruga_decode_static)
	@echo "built: $(BUILD)/ruga"

help:
	@echo "make             build $(BUILD)/ruga and the libraries"
	@echo "make demo        render the demo into out/demo/ (open out/demo/index.html)"
	@echo "make test        all tests but the long ones: release, sanitizers, fuzz corpora"
	@echo "make test-long   hard cases, long searches, the clang build, coverage [TEST_LONG_MINUTES=15]"
	@echo "make bench       build the benchmarks into $(BUILD)/bench/ and run each with --quick"
	@echo "make lint        check layers, format, static analysis, public headers, texts"
	@echo "make format      bring all C files into the house format"
	@echo "make fuzz        run each fuzz target for FUZZ_SECONDS ($(FUZZ_SECONDS))"
	@echo "make coverage    which lines of src/ and apps/ the tests run; fails below 90 %"
	@echo "make install     install into PREFIX ($(PREFIX)); DESTDIR is honoured"
	@echo "make docs-images render the pictures of the documentation"
	@echo "make docs-scene  write docs/scene.md and docs/scene.schema.json"
	@echo "make clean       remove $(BUILD)/"

demo:
	@$(SETUP) build demo
	@$(MAKE) --no-print-directory all
	$(BUILD)/ruga demo

# One run of ctest over two builds, so that there is one summary.
test: release-tests sanitized
	@echo "building with AddressSanitizer and UndefinedBehaviorSanitizer"
	@$(call COMPILE,$(BUILD)/asan)
	@mkdir -p $(BUILD)/all
	@printf 'subdirs("%s" "%s")\n' $(abspath $(BUILD) $(BUILD)/asan) >$(BUILD)/all/CTestTestfile.cmake
	@$(CTEST) --test-dir $(BUILD)/all -LE long

.PHONY: release-tests sanitized fuzz-targets
release-tests:
	@$(SETUP) build test
	@$(CONFIGURE) -B $(BUILD) -DRUGA_TESTS=ON >/dev/null
	@echo "building the release"
	@$(call COMPILE,$(BUILD))

# The tests and the fuzz targets with sanitizers, over one library. Clang's are faster than GCC's.
sanitized:
	@$(SETUP) build test fuzz
	@$(CONFIGURE) -B $(BUILD)/asan -DCMAKE_C_COMPILER=clang -DRUGA_TESTS=ON -DRUGA_FUZZ=ON -DRUGA_TEST_PREFIX=asan >/dev/null

fuzz-targets: sanitized
	@echo "building the fuzz targets"
	@$(call COMPILE,$(BUILD)/asan,fuzz_targets)

test-long: release-tests fuzz-targets
	@$(SETUP) coverage test-long
	@$(call COMPILE,$(BUILD),long_tests)
	@end=$${TEST_LONG_MINUTES:-$(TEST_LONG_MINUTES)}; \
	if [ -n "$$end" ]; then export RUGA_TEST_END=$$(($$(date +%s) + end * 60)); fi; \
	$(CTEST) --test-dir $(BUILD) -L long

bench:
	@$(SETUP) build bench
	@$(CONFIGURE) -B $(BUILD) -DRUGA_BENCH=ON >/dev/null
	@$(call COMPILE,$(BUILD))
	@for program in $(BUILD)/bench/*; do echo; echo "$$program --quick"; "$$program" --quick || exit 1; done

lint:
	@$(SETUP) build lint
	@tools/lint.sh

format:
	@$(SETUP) lint
	@git ls-files -co --exclude-standard '*.c' '*.h' '*.cpp' | xargs clang-format -i

fuzz: fuzz-targets
	@for target in $(BUILD)/asan/fuzz_*; do name=$${target##*/fuzz_}; \
	echo "fuzzing $$name for $(FUZZ_SECONDS) s"; \
	tools/fuzz.sh $(BUILD)/asan $$name -max_total_time=$(FUZZ_SECONDS) || exit 1; done

coverage:
	@$(SETUP) build test coverage
	@tools/coverage.sh $(BUILD)/coverage $(JOBS)

install: all
	@cmake --install $(BUILD) --prefix "$(PREFIX)" >/dev/null
	@echo "installed into $(DESTDIR)$(PREFIX)"

docs-images: all
	@tools/docs-images.sh $(BUILD)/ruga docs/images

# The reference and the schema, from the tables of fields; a test compares these files with the tables.
docs-scene: all
	@$(BUILD)/ruga reference -o docs/scene.md
	@$(BUILD)/ruga schema -o docs/scene.schema.json

clean:
	rm -rf $(BUILD)
