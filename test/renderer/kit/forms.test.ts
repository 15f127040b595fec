import { FolderGit2 } from '@lucide/vue'
import { describe, expect, it } from 'vitest'
import { computed, defineComponent, h, ref } from 'vue'

import { useConfirmed, type Confirmed } from '../../../renderer/api/useConfirmed.ts'
import { pagerOf } from '../../../renderer/api/usePage.ts'
import ListView from '../../../renderer/components/base/ListView.vue'
import ConfirmRow from '../../../renderer/components/form/ConfirmRow.vue'
import FormDialog from '../../../renderer/components/form/FormDialog.vue'
import PickMany from '../../../renderer/components/form/PickMany.vue'
import ShortList from '../../../renderer/components/list/ShortList.vue'
import { useFileDrop } from '../../../renderer/composables/useFileDrop.ts'
import { useShortcutStore } from '../../../renderer/stores/shortcuts.ts'
import { cleanUp, drawn, heard, mountPart, only } from './mount-part.ts'

cleanUp()
const button = (name: string) =>
  [...document.querySelectorAll<HTMLButtonElement>('button')].find(
    (found) => found.textContent?.trim().startsWith(name) || found.getAttribute('aria-label') === name,
  )!

describe('FormDialog', () => {
  const field = { default: () => h('input', { name: 'title' }) }

  it('submits with its button, and closes with Cancel', async () => {
    const onSubmit = heard()
    const { values } = mountPart(FormDialog, { title: 'Edit label', onSubmit }, field, { open: true })
    await drawn()
    button('Save').click()
    expect(onSubmit).toHaveBeenCalledOnce()
    button('Cancel').click()
    await drawn()
    expect(values.value).toEqual({ open: false })
    expect(onSubmit).toHaveBeenCalledOnce()
  })

  it('does not submit while it is not ready', async () => {
    const onSubmit = heard()
    mountPart(FormDialog, { title: 'Edit label', action: 'Create', disabled: true, onSubmit }, field, {
      open: true,
    })
    await drawn()
    button('Create').click()
    expect(onSubmit).not.toHaveBeenCalled()
  })
})

describe('ConfirmRow', () => {
  const words = { title: 'Delete?', description: 'It is gone.', action: 'Delete' }
  const mountAsking = (run: (row: string) => Promise<string>) => {
    const made: Confirmed<string>[] = []
    const Asking = defineComponent(() => {
      const removal = useConfirmed({ run })
      made.push(removal)
      return () => h(ConfirmRow as never, { of: removal, ...words })
    })
    mountPart(Asking)
    return made[0]!
  }

  it('runs the action with its row, and forgets the row', async () => {
    const ran = heard()
    const removal = mountAsking(async (row) => {
      ran(row)
      return row
    })
    removal.ask('tern')
    await drawn()
    button('Delete').click()
    await drawn()
    expect(ran.mock.calls).toEqual([['tern']])
    expect(removal.row.value).toBeNull()
    expect(document.querySelector('[role=dialog]')).toBeNull()
  })

  it('forgets the row when it is canceled, and keeps it when the action fails', async () => {
    const ran = heard()
    const removal = mountAsking(async (row) => {
      ran(row)
      throw new Error('It is in use.')
    })
    removal.ask('tern')
    await drawn()
    button('Cancel').click()
    await drawn()
    expect(removal.row.value).toBeNull()
    expect(ran).not.toHaveBeenCalled()
    removal.ask('heron')
    await drawn()
    button('Delete').click()
    await drawn()
    expect(removal.row.value).toBe('heron')
  })
})

describe('PickMany', () => {
  it('offers items that are not selected, and removes selected ones', async () => {
    const items = ['heron', 'tern'].map((value) => ({ value, label: value }))
    const { part, values } = mountPart(
      PickMany as never,
      { label: 'Birds', chosenLabel: 'Selected birds', items },
      {},
      { modelValue: [items[0]], text: '' },
    )
    await drawn()
    const picker = part.findComponent({ name: 'Picker' })
    expect(picker.props('items')).toEqual([items[1]])
    picker.vm.$emit('pick', items[1])
    await drawn()
    expect(values.value['modelValue']).toEqual(items)
    button('Remove heron').click()
    await drawn()
    expect(values.value['modelValue']).toEqual([items[1]])
  })
})

describe('ShortList', () => {
  const listOf = (items: { id: number }[]) => ({
    items: ref(items),
    page: ref(undefined),
    total: ref(items.length),
    error: ref(null),
    isPending: ref(false),
    isStale: computed(() => false),
    refetch: heard(),
  })
  const props = {
    title: 'Deploy keys',
    label: 'deploy keys',
    rowKey: (row: { id: number }) => row.id,
    icon: FolderGit2,
    none: { title: 'No deploy keys', text: 'Add one.' },
    make: 'New deploy key',
  }

  it('creates a row with its button or the key N, also when it is empty', async () => {
    const onMake = heard()
    mountPart(ShortList as never, { ...props, list: listOf([]), onMake })
    await drawn()
    expect(document.body.textContent).toContain('No deploy keys')
    button('New deploy key').click()
    useShortcutStore().handle(new KeyboardEvent('keydown', { key: 'n', cancelable: true }))
    expect(onMake).toHaveBeenCalledTimes(2)
  })

  it('draws its rows', async () => {
    const row = ({ item }: { item: { id: number } }) => h('b', `key ${item.id}`)
    mountPart(ShortList as never, { ...props, list: listOf([{ id: 1 }, { id: 2 }]) }, { default: row })
    await drawn()
    expect([...document.querySelectorAll('li b')].map((found) => found.textContent)).toEqual([
      'key 1',
      'key 2',
    ])
  })
})

describe('ListView', () => {
  const run = heard()
  const props = {
    title: 'Labels',
    label: 'labels',
    rowKey: (row: { id: number }) => row.id,
    page: 1,
    perPage: 50,
    none: { icon: FolderGit2, title: 'No labels yet' },
  }
  const list = {
    items: ref([]),
    page: ref(undefined),
    total: ref(0),
    error: ref(null),
    isPending: ref(false),
    isStale: ref(false),
    refetch: heard(),
  }
  const press = () => useShortcutStore().handle(new KeyboardEvent('keydown', { key: 'n', cancelable: true }))

  it('creates a row with its buttons or the key N', async () => {
    mountPart(ListView as never, { ...props, list, make: { label: 'New label', run, may: true } })
    await drawn()
    const buttons = [...document.querySelectorAll<HTMLButtonElement>('button')]
    expect(buttons.map((found) => found.textContent?.trim())).toEqual(['New labelN', 'New labelN'])
    for (const found of buttons) found.click()
    press()
    expect(run).toHaveBeenCalledTimes(3)
  })

  it('offers no actions to users without permission', async () => {
    run.mockClear()
    mountPart(ListView as never, { ...props, list, make: { label: 'New label', run, may: false } })
    await drawn()
    press()
    expect(document.querySelector('button')).toBeNull()
    expect(run).not.toHaveBeenCalled()
    expect(document.body.textContent).toContain('No labels yet')
  })

  it('has a search field only if it has a search text', async () => {
    mountPart(ListView as never, { ...props, list })
    await drawn()
    expect(document.querySelector('input')).toBeNull()
  })
})

describe('pagerOf', () => {
  const pages = { number: ref(1), size: 100, turn: heard() }
  const list = (nextPage: number | null) => ({
    pages,
    total: ref(nextPage === null ? 3 : 140),
    page: ref({ items: [], total: null, nextPage }) as never,
  })

  it('is empty for a single page, and for lists without pages', () => {
    expect(pagerOf(list(null))).toEqual({})
    expect(pagerOf({ page: ref(undefined), total: ref(3) })).toEqual({})
  })

  it('returns the pages of a longer list', () => {
    expect(pagerOf(list(2))).toMatchObject({ page: 1, perPage: 100, total: 140, nextPage: 2 })
    pages.number.value = 2
    expect(pagerOf(list(null))).toMatchObject({ page: 2, nextPage: null, onPage: pages.turn })
  })
})

describe('useFileDrop', () => {
  const dragged = (name: string, types: string[]) => {
    const event = new Event(name, { bubbles: true, cancelable: true })
    return Object.assign(event, { dataTransfer: { types } }) as unknown as DragEvent
  }

  it('accepts files before inner components do, and ignores dragged text', async () => {
    const [taken, inner] = [heard(), heard()]
    const { isOver, listeners } = useFileDrop(taken)
    const Area = defineComponent(
      () => () =>
        h(
          'div',
          {
            id: 'area',
            onDragoverCapture: listeners.dragoverCapture,
            onDragleave: listeners.dragleave,
            onDropCapture: listeners.dropCapture,
          },
          [h('p', { id: 'inner', onDrop: inner })],
        ),
    )
    mountPart(Area)
    const target = only('#inner')
    expect(target.dispatchEvent(dragged('dragover', ['Files']))).toBe(false)
    expect(isOver.value).toBe(true)
    target.dispatchEvent(dragged('drop', ['Files']))
    expect([isOver.value, taken.mock.calls.length, inner.mock.calls.length]).toEqual([false, 1, 0])
    target.dispatchEvent(dragged('drop', ['text/plain']))
    expect([taken.mock.calls.length, inner.mock.calls.length]).toEqual([1, 1])
  })
})
