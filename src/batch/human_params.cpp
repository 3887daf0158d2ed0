#include "marey/batch/human_step.h"
#include "marey/scalar/instantiate.h"

namespace marey::batch {
namespace {

// Depth first, sons in the order the model has them.
void visit(const Model& model, int link, std::vector<int>& order) {
  order.push_back(link);
  for (int i = 1; i < model.nlink(); ++i)
    if (model.links[i].parent == link) visit(model, i, order);
}

}  // namespace

HumanParams<double> human_params(const Model& model, int (&link_of)[HumanTree::links]) {
  const auto refuse = [] {
    return Error(ErrorKind::bad_input,
                 "this figure is not the 39-DOF human: a free pelvis and 11 links on ball joints");
  };
  if (model.nlink() != HumanTree::links) throw refuse();
  std::vector<int> order;
  visit(model, 0, order);
  HumanParams<double> out;
  out.gravity = model.params.gravity;
  for (int i = 1; i < HumanTree::links; ++i) {
    const LinkTopology& link = model.links[order[i]];
    if (link.parent != order[HumanTree::parent(i)] || link.joint != HumanTree::joint(i) || link.turned ||
        link.leaf != HumanTree::leaf(i))
      throw refuse();
    link_of[i] = order[i];
    out.links[i] = model.params.links[order[i]];
  }
  link_of[0] = 0;
  return out;
}

template <class T>
HumanParams<T> cast(const HumanParams<double>& human) {
  Params<double> all;
  all.gravity = human.gravity;
  all.links.assign(std::begin(human.links), std::end(human.links));
  const Params<T> converted = convert<T>(all);
  HumanParams<T> out;
  out.gravity = converted.gravity;
  for (int i = 0; i < HumanTree::links; ++i) out.links[i] = converted.links[i];
  return out;
}

#define MAREY_INSTANTIATE(T) template HumanParams<T> cast<T>(const HumanParams<double>&);
MAREY_FOR_EACH_SCALAR(MAREY_INSTANTIATE)

}  // namespace marey::batch
