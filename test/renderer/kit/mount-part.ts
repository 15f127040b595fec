import { mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, vi } from 'vitest'
import { defineComponent, h, ref, type Component } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'

const mounted: { unmount: () => void }[] = []

/** Waits until pending updates are rendered, including portals and their focus. */
export const drawn = () => new Promise((resolve) => setTimeout(resolve))

type Slots = Record<string, (props: never) => unknown>

/**
 * Mounts a component like the window: with stores and a router. `models` are updated by the
 * component's events, like `v-model`.
 */
export const mountPart = (
  part: Component,
  props: Record<string, unknown> = {},
  slots: Slots = {},
  models: Record<string, unknown> = {},
) => {
  const pinia = createPinia()
  setActivePinia(pinia)
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [{ path: '/:rest(.*)', component: { render: () => null } }],
  })
  const values = ref(models)
  const Host = defineComponent(() => () => {
    const bound = Object.entries(values.value).flatMap(([name, value]) => [
      [name, value],
      [`onUpdate:${name}`, (next: unknown) => (values.value = { ...values.value, [name]: next })],
    ])
    return h(part, { ...props, ...Object.fromEntries(bound) }, slots)
  })
  const host = mount(Host, { attachTo: document.body, global: { plugins: [pinia, router] } })
  mounted.push(host)
  const inner = host.findComponent(part)
  return { part: inner, element: inner.element as HTMLElement, values, router, host }
}

/** The only matching element in the page. Elements in portals are not below their component. */
export const only = <T extends HTMLElement = HTMLElement>(selector: string): T => {
  const found = document.body.querySelectorAll<T>(selector)
  if (found.length !== 1) throw new Error(`${found.length} elements match ${selector}.`)
  return found[0]!
}

export const press = (target: Element, key: string, more: KeyboardEventInit = {}) =>
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }))

export const type = (target: HTMLInputElement | HTMLTextAreaElement, text: string) => {
  target.value = text
  target.dispatchEvent(new Event('input', { bubbles: true }))
}

/** A listener that stores its arguments. */
export const heard = () => vi.fn<(...args: unknown[]) => void>()

/** Unmounts the components of a test file. Its tests share the page. */
export const cleanUp = () =>
  afterEach(() => {
    for (const host of mounted.splice(0)) host.unmount()
    document.body.replaceChildren()
  })
