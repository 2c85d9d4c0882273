/* A cloth of position-based links that collides with itself by clusters, set up as Bullet's own examples do. The
 * deformable bodies with collision of vertices and faces were tried too: their steps took several times as long, and
 * the cloth fell through the ball. */
#include "bullet_drape.h"

#include <memory>
#include <vector>

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
    btSequentialImpulseConstraintSolver solver;
    btSoftRigidDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
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

static void add_cloth(bullet_drape &drape, const bullet_drape_def &def) {
    btSoftBodyWorldInfo &info = drape.world.getWorldInfo();
    info.m_gravity = gravity;
    info.air_density = 0;
    info.m_sparsesdf.Initialize();
    drape.cloth = make_cloth(def, info);
    btSoftBody::Material *material = drape.cloth->appendMaterial();
    material->m_kLST = 1;
    drape.cloth->generateBendingConstraints(2, material);
    drape.cloth->m_cfg.piterations = 10;
    drape.cloth->m_cfg.collisions =
        btSoftBody::fCollision::SDF_RS | btSoftBody::fCollision::CL_SS | btSoftBody::fCollision::CL_SELF;
    drape.cloth->generateClusters(64);
    drape.world.addSoftBody(drape.cloth);
}

static void add_ball(bullet_drape &drape, const bullet_drape_def &def) {
    drape.ball = std::make_unique<btRigidBody>(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, &drape.shape));
    drape.ball->setFriction(btScalar(def.friction));
    drape.world.addRigidBody(drape.ball.get());
}

bullet_drape *bullet_drape_create(const bullet_drape_def *def) {
    auto drape = std::make_unique<bullet_drape>(def->radius);
    drape->world.setGravity(gravity);
    add_cloth(*drape, *def);
    add_ball(*drape, *def);
    return drape.release();
}

void bullet_drape_destroy(bullet_drape *drape) {
    if (!drape) return;
    drape->world.removeRigidBody(drape->ball.get());
    drape->world.removeSoftBody(drape->cloth);
    delete drape->cloth;
    delete drape;
}

void bullet_drape_step(bullet_drape *drape, double dt, int substeps) {
    drape->world.stepSimulation(btScalar(dt), substeps, btScalar(dt / substeps));
}

size_t bullet_drape_read(const bullet_drape *drape, double *positions) {
    for (int i = 0; i < drape->cloth->m_nodes.size(); i++)
        for (int k = 0; k < 3; k++) positions[3 * i + k] = double(drape->cloth->m_nodes[i].m_x[k]);
    return size_t(drape->cloth->m_nodes.size());
}
