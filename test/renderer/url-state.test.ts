import { flushPromises, mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { defineComponent, h } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'
import { readState, useUrlState, writeState } from '../../renderer/composables/useUrlState.ts'

const DEFAULTS = { search: '', page: 1, archived: false }

describe('the state of a list in its URL', () => {
  it('has its defaults for missing and invalid parameters', () => {
    expect(readState({}, DEFAULTS)).toEqual(DEFAULTS)
    expect(readState({ page: '-3', search: ['a', 'b'] }, DEFAULTS)).toEqual(DEFAULTS)
    expect(readState({ page: 'abc' }, DEFAULTS).page).toBe(1)
  })

  it('reads texts, numbers and switches', () => {
    expect(readState({ page: '4', search: 'her', archived: 'true' }, DEFAULTS)).toEqual({
      search: 'her',
      page: 4,
      archived: true,
    })
  })

  it('has only values that differ, and keeps other parameters', () => {
    expect(writeState({ tab: 'x', page: '9' }, DEFAULTS, { search: 'a b', page: 1, archived: true })).toEqual(
      {
        tab: 'x',
        search: 'a b',
        archived: 'true',
      },
    )
  })
})

describe('an update of the state', () => {
  const open = async (path: string) => {
    const router = createRouter({
      history: createMemoryHistory(),
      routes: [{ path: '/:full_path(.+?)', component: { render: () => null } }],
    })
    await router.push(path)
    let used: ReturnType<typeof useUrlState<typeof DEFAULTS>> | undefined
    const View = defineComponent({
      setup() {
        used = useUrlState({ ...DEFAULTS })
        return () => h('i')
      },
    })
    mount(View, { global: { plugins: [router] } })
    if (!used) throw new Error('not mounted')
    return { router, ...used }
  }

  it('returns to the first page when a filter changes', async () => {
    const { router, state, set } = await open('/projects?page=3')
    expect(state.value.page).toBe(3)
    set({ search: 'her' })
    await flushPromises()
    expect(router.currentRoute.value.fullPath).toBe('/projects?search=her')
  })

  it('keeps the path unchanged', async () => {
    const { router, set } = await open('/salt/heron/-/branches#top')
    set({ search: 'wal' })
    await flushPromises()
    expect(router.currentRoute.value.fullPath).toBe('/salt/heron/-/branches?search=wal#top')
  })

  it('keeps the filter when the page changes', async () => {
    const { router, set } = await open('/projects?search=her')
    set({ page: 2 })
    await flushPromises()
    expect(router.currentRoute.value.query).toEqual({ search: 'her', page: '2' })
  })
})
