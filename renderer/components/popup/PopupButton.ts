import { cloneVNode, Comment, Fragment, type FunctionalComponent, type VNode } from 'vue'
import type { Popup } from './popup.ts'

const elementOf = (nodes: readonly VNode[]): VNode | undefined => {
  for (const node of nodes) {
    if (node.type === Comment) continue
    return node.type === Fragment ? elementOf(node.children as VNode[]) : node
  }
  return undefined
}

const own = ({ props }: VNode) => (props?.['id'] === undefined ? {} : { id: props['id'] as string })

/** The button of a popup: the element in the slot, with the attributes of a button that opens one. */
export const PopupButton: FunctionalComponent<{ popup: Popup }> = ({ popup }, { slots }) => {
  const element = elementOf((slots['default']?.() ?? []) as VNode[])
  // Its own id, if it has one, is the one that labels name.
  return element && cloneVNode(element, { ...popup.attributes(), ...own(element) }, true)
}
PopupButton.props = ['popup']
