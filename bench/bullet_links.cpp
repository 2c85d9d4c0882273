/* The links of a soft body and its own solver of them, PSolve_Links, as its step calls it: every link once an
 * iteration. A link removes the share of its error that its material says, both ends move by half of it. The body is in
 * no world. */
#include "bullet_links.h"

#include <map>
#include <memory>
#include <vector>

#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>

struct bullet_links {
    btSoftBodyWorldInfo info;
    std::unique_ptr<btSoftBody> body;
};

static std::unique_ptr<btSoftBody> make_body(btSoftBodyWorldInfo &info, size_t count, const float *points) {
    std::vector<btVector3> positions;
    for (size_t i = 0; i < count; i++) positions.emplace_back(points[4 * i], points[4 * i + 1], points[4 * i + 2]);
    std::vector<btScalar> masses(count, btScalar(1));
    return std::make_unique<btSoftBody>(&info, int(count), positions.data(), masses.data());
}

/* One material for each stiffness. */
static void add_links(btSoftBody &body, const bullet_link *given, size_t count) {
    std::map<float, btSoftBody::Material *> materials;
    for (size_t i = 0; i < count; i++) {
        btSoftBody::Material *&material = materials[given[i].stiffness];
        if (!material) {
            material = body.appendMaterial();
            material->m_kLST = btScalar(given[i].stiffness);
        }
        body.appendLink(int(given[i].points[0]), int(given[i].points[1]), material);
        body.m_links[body.m_links.size() - 1].m_rl = btScalar(given[i].length);
    }
}

static void order_links(btSoftBody &body, bullet_order order) {
    if (order == BULLET_ORDER_SHUFFLED) body.randomizeConstraints();
    if (order == BULLET_ORDER_REORDERED) btSoftBodyHelpers::ReoptimizeLinkOrder(&body);
}

bullet_links *bullet_links_create(size_t point_count, const float *points, const bullet_link *given, size_t link_count,
                                  bullet_order order) {
    auto links = std::make_unique<bullet_links>();
    links->body = make_body(links->info, point_count, points);
    add_links(*links->body, given, link_count);
    order_links(*links->body, order);
    /* The solver reads of a link, besides its ends, the sum of both inverse masses over its stiffness, and its
     * length². */
    for (int i = 0; i < links->body->m_links.size(); i++) {
        btSoftBody::Link &link = links->body->m_links[i];
        link.m_c0 = (link.m_n[0]->m_im + link.m_n[1]->m_im) / link.m_material->m_kLST;
        link.m_c1 = link.m_rl * link.m_rl;
    }
    return links.release();
}

void bullet_links_destroy(bullet_links *links) { delete links; }

void bullet_links_place(bullet_links *links, const float *points) {
    for (int i = 0; i < links->body->m_nodes.size(); i++)
        links->body->m_nodes[i].m_x.setValue(points[4 * i], points[4 * i + 1], points[4 * i + 2]);
}

void bullet_links_solve(bullet_links *links, int iterations) {
    for (int i = 0; i < iterations; i++) btSoftBody::PSolve_Links(links->body.get(), 1, 0);
}

void bullet_links_read(const bullet_links *links, float *points) {
    for (int i = 0; i < links->body->m_nodes.size(); i++)
        for (int k = 0; k < 3; k++) points[4 * i + k] = float(links->body->m_nodes[i].m_x[k]);
}
