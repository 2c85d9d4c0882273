/* Both of Bullet's ways to let a cloth collide with itself, set up as its own examples do. */
#include "bullet_drape.h"

#include <memory>
#include <vector>

#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

/* Members are destroyed from the last to the first: the world before what it uses. */
struct bullet_drape {
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSphereShape shape;
    std::vector<std::unique_ptr<btDeformableLagrangianForce>> forces;
    std::unique_ptr<btDeformableBodySolver> body_solver;
    std::unique_ptr<btSequentialImpulseConstraintSolver> solver;
    std::unique_ptr<btDiscreteDynamicsWorld> world;
    std::unique_ptr<btRigidBody> ball;
    btSoftBody *cloth = nullptr;

    explicit bullet_drape(double radius) : shape(btScalar(radius)) {}
};

static const btVector3 gravity(0, btScalar(-9.81), 0);

static btSoftBody *make_cloth(const bullet_drape_def &def, btSoftBodyWorldInfo &info) {
    std::vector<btScalar> positions(def.positions, def.positions + 3 * def.vertex_count);
    std::vector<int> triangles(def.triangles, def.triangles + 3 * def.triangle_count);
    btSoftBody *cloth =
        btSoftBodyHelpers::CreateFromTriMesh(info, positions.data(), triangles.data(), int(def.triangle_count), false);
    cloth->getCollisionShape()->setMargin(btScalar(def.thickness));
    cloth->setTotalMass(btScalar(def.mass));
    cloth->m_cfg.kDF = btScalar(def.friction);
    return cloth;
}

static void add_ball(bullet_drape &drape, const bullet_drape_def &def) {
    drape.ball = std::make_unique<btRigidBody>(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, &drape.shape));
    drape.ball->setFriction(btScalar(def.friction));
    drape.world->addRigidBody(drape.ball.get());
}

static void set_air(btSoftBodyWorldInfo &info) {
    info.m_gravity = gravity;
    info.air_density = 0;
    info.m_sparsesdf.Initialize();
}

static void make_clusters(bullet_drape &drape, const bullet_drape_def &def) {
    drape.solver = std::make_unique<btSequentialImpulseConstraintSolver>();
    auto world = std::make_unique<btSoftRigidDynamicsWorld>(&drape.dispatcher, &drape.broadphase, drape.solver.get(),
                                                            &drape.configuration);
    set_air(world->getWorldInfo());
    drape.cloth = make_cloth(def, world->getWorldInfo());
    btSoftBody::Material *material = drape.cloth->appendMaterial();
    material->m_kLST = 1;
    drape.cloth->generateBendingConstraints(2, material);
    drape.cloth->m_cfg.piterations = 10;
    drape.cloth->m_cfg.collisions =
        btSoftBody::fCollision::SDF_RS | btSoftBody::fCollision::CL_SS | btSoftBody::fCollision::CL_SELF;
    drape.cloth->generateClusters(64);
    world->addSoftBody(drape.cloth);
    drape.world = std::move(world);
}

static void make_deformable(bullet_drape &drape, const bullet_drape_def &def) {
    drape.body_solver = std::make_unique<btDeformableBodySolver>();
    auto solver = std::make_unique<btDeformableMultiBodyConstraintSolver>();
    solver->setDeformableSolver(drape.body_solver.get());
    auto world = std::make_unique<btDeformableMultiBodyDynamicsWorld>(
        &drape.dispatcher, &drape.broadphase, solver.get(), &drape.configuration, drape.body_solver.get());
    drape.solver = std::move(solver);
    set_air(world->getWorldInfo());
    world->setImplicit(true);
    world->setLineSearch(false);
    world->getSolverInfo().m_deformable_erp = btScalar(0.3);
    world->getSolverInfo().m_deformable_maxErrorReduction = btScalar(200);
    world->getSolverInfo().m_leastSquaresResidualThreshold = btScalar(1e-3);
    drape.cloth = make_cloth(def, world->getWorldInfo());
    drape.cloth->m_cfg.collisions = btSoftBody::fCollision::SDF_RD | btSoftBody::fCollision::VF_DD;
    drape.cloth->m_cfg.kKHR = 1;
    drape.cloth->m_cfg.kCHR = 1;
    drape.cloth->setSelfCollision(true);
    drape.cloth->setSpringStiffness(btScalar(def.stretch));
    world->addSoftBody(drape.cloth);
    drape.forces.emplace_back(new btDeformableMassSpringForce(btScalar(def.stretch), btScalar(0.1), true));
    drape.forces.emplace_back(new btDeformableGravityForce(gravity));
    for (auto &force : drape.forces) world->addForce(drape.cloth, force.get());
    drape.world = std::move(world);
}

bullet_drape *bullet_drape_create(const bullet_drape_def *def) {
    auto drape = std::make_unique<bullet_drape>(def->radius);
    if (def->kind == BULLET_CLUSTERS)
        make_clusters(*drape, *def);
    else
        make_deformable(*drape, *def);
    if (size_t(drape->cloth->m_nodes.size()) != def->vertex_count) return nullptr;
    drape->world->setGravity(gravity);
    add_ball(*drape, *def);
    return drape.release();
}

void bullet_drape_destroy(bullet_drape *drape) {
    if (!drape) return;
    drape->world->removeRigidBody(drape->ball.get());
    if (auto *soft = dynamic_cast<btSoftRigidDynamicsWorld *>(drape->world.get())) soft->removeSoftBody(drape->cloth);
    if (auto *soft = dynamic_cast<btDeformableMultiBodyDynamicsWorld *>(drape->world.get()))
        soft->removeSoftBody(drape->cloth);
    delete drape->cloth;
    delete drape;
}

void bullet_drape_step(bullet_drape *drape, double dt) { drape->world->stepSimulation(btScalar(dt), 1, btScalar(dt)); }

void bullet_drape_read(const bullet_drape *drape, double *positions) {
    for (int i = 0; i < drape->cloth->m_nodes.size(); i++)
        for (int k = 0; k < 3; k++) positions[3 * i + k] = double(drape->cloth->m_nodes[i].m_x[k]);
}
