import { mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { TooltipProvider } from 'reka-ui'
import { afterEach, vi } from 'vitest'
import { defineComponent, h, ref, type Component } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'

const mounted: { unmount: () => void }[] = []

/** Waits until what was asked for is drawn, portals and their focus included. */
export const drawn = () => new Promise((resolve) => setTimeout(resolve))

type Slots = Record<string, (props: never) => unknown>

/**
 * Mounts a part of the kit as the window does: below the provider of tooltips, with stores and a router. `v-model`s given as
 * `models` are kept, so that the part shows what it emits.
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
    return h(TooltipProvider, { delayDuration: 0 }, () =>
      h(part, { ...props, ...Object.fromEntries(bound) }, slots),
    )
  })
  const host = mount(Host, { attachTo: document.body, global: { plugins: [pinia, router] } })
  mounted.push(host)
  const inner = host.findComponent(part)
  return { part: inner, element: inner.element as HTMLElement, values, router, host }
}

/** The one element of the page that matches; parts in portals are not below their component. */
export const one = <T extends HTMLElement = HTMLElement>(selector: string): T => {
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

/** A listener that remembers what it was called with. */
export const heard = () => vi.fn<(...args: unknown[]) => void>()

/** Unmounts what a file has mounted; its tests share the page. */
export const cleanUp = () =>
  afterEach(() => {
    for (const host of mounted.splice(0)) host.unmount()
    document.body.replaceChildren()
  })
