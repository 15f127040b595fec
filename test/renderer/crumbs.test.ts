import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { defineComponent, h, nextTick, ref } from 'vue'

import { crumbs, useCrumbs } from '../../renderer/composables/useCrumbs.ts'

const labels = () => crumbs().map((crumb) => crumb.label)

describe('the breadcrumb', () => {
  it('is that of the innermost view, and of the outer one after the inner view is closed', async () => {
    const isOpen = ref(true)
    const frame = ref('Projects')
    const Inner = defineComponent(() => {
      useCrumbs(() => [{ label: frame.value, to: '/' }, { label: 'Template' }])
      return () => h('p')
    })
    const Outer = defineComponent(() => {
      useCrumbs(() => [{ label: frame.value }])
      return () => (isOpen.value ? h(Inner) : h('p'))
    })
    const view = mount(Outer)
    await nextTick()
    expect(labels()).toEqual(['Projects', 'Template'])
    expect(document.title).toMatch(/^Template · Projects – /)

    frame.value = 'New project'
    await nextTick()
    expect(labels()).toEqual(['New project', 'Template'])

    isOpen.value = false
    await nextTick()
    expect(labels()).toEqual(['New project'])
    expect(document.title).toMatch(/^New project – /)

    view.unmount()
    expect(labels()).toEqual([])
  })
})
