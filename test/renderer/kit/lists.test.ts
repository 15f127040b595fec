import { FolderGit2 } from '@lucide/vue'
import { describe, expect, it } from 'vitest'
import { h } from 'vue'

import DataList from '../../../renderer/components/base/DataList.vue'
import Pager from '../../../renderer/components/base/Pager.vue'
import CutName from '../../../renderer/components/code/CutName.vue'
import FindBar from '../../../renderer/components/code/FindBar.vue'
import EmptyState from '../../../renderer/components/feedback/EmptyState.vue'
import ErrorState from '../../../renderer/components/feedback/ErrorState.vue'
import SkeletonRows from '../../../renderer/components/feedback/SkeletonRows.vue'
import FilterPick from '../../../renderer/components/filter/FilterPick.vue'
import LabelChip from '../../../renderer/components/pick/LabelChip.vue'
import { useShortcutStore } from '../../../renderer/stores/shortcuts.ts'
import { cleanUp, drawn, heard, mountPart, only, press } from './mount-part.ts'

cleanUp()
const items = [1, 2, 3].map((id) => ({ id, name: `project ${id}` }))
type Item = (typeof items)[number]
const row = ({ item }: { item: Item }) => h('a', { href: `/${item.id}`, class: 'row-link' }, item.name)
const rowKey = (item: Item) => item.id
const boxes = () => [...document.querySelectorAll<HTMLInputElement>('.row [type=checkbox]')]

describe('DataList', () => {
  it('moves the focus through its rows with j and k', async () => {
    mountPart(DataList, { label: 'projects', items, rowKey }, { default: row })
    const shortcuts = useShortcutStore()
    const hit = (key: string) => shortcuts.handle(new KeyboardEvent('keydown', { key, cancelable: true }))
    for (const key of ['j', 'j', 'j', 'j']) {
      hit(key)
      await drawn()
    }
    expect(document.activeElement?.textContent).toBe('project 3')
    hit('k')
    await drawn()
    expect(document.activeElement?.textContent).toBe('project 2')
    hit('Escape')
    expect(document.activeElement).toBe(document.body)
  })

  it('selects single rows, ranges with Shift, all rows and none', async () => {
    const { values } = mountPart(
      DataList,
      { label: 'projects', items, rowKey },
      { default: row },
      { selected: new Set() },
    )
    const selected = () => [...(values.value['selected'] as Set<number>)]
    expect(document.querySelector('[role=toolbar]')).toBeNull()
    boxes()[0]!.dispatchEvent(new MouseEvent('click', { bubbles: true }))
    await drawn()
    boxes()[2]!.dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey: true }))
    await drawn()
    expect(selected()).toEqual([1, 2, 3])
    expect(only('[role=toolbar]').textContent).toContain('3 selected')
    only('[role=toolbar] [aria-label="Clear selection"]').click()
    await drawn()
    expect(selected()).toEqual([])
  })

  it('shows that it is loading, failed or empty', async () => {
    mountPart(DataList, { label: 'projects', items: [], rowKey, pending: true })
    expect(only('[role=status]').getAttribute('aria-label')).toBe('Loading')
    document.body.replaceChildren()
    const onRetry = heard()
    mountPart(DataList, { label: 'projects', items: [], rowKey, error: new Error('Locked.'), onRetry })
    expect(only('[role=alert]').textContent).toContain('Could not load projects')
    only('[role=alert] button').click()
    expect(onRetry).toHaveBeenCalledOnce()
    document.body.replaceChildren()
    mountPart(DataList, { label: 'projects', items: [], rowKey }, { empty: () => 'No projects yet' })
    expect(document.body.textContent).toContain('No projects yet')
  })

  it('draws only the rows that fit when there are many', () => {
    const many = Array.from({ length: 5000 }, (_, id) => ({ id, name: `project ${id}` }))
    mountPart(DataList, { label: 'projects', items: many, rowKey }, { default: row })
    expect(document.querySelectorAll('.row').length).toBeLessThan(200)
  })
})

describe('Pager', () => {
  it('shows the current range, and links to the surrounding pages', () => {
    const onPage = heard()
    const { element } = mountPart(Pager, {
      page: 2,
      perPage: 20,
      shown: 20,
      total: 1204,
      nextPage: 3,
      onPage,
    })
    expect(element.textContent).toContain('21–40 of 1,204')
    only('[aria-label="Next page"]').click()
    only('[aria-label="Previous page"]').click()
    expect(onPage.mock.calls).toEqual([[3], [1]])
  })

  it('has no buttons on a single page, and no dead ones', () => {
    const { element } = mountPart(Pager, { page: 1, perPage: 20, shown: 3, total: 3, nextPage: null })
    expect(element.textContent).toBe('3 total')
    document.body.replaceChildren()
    mountPart(Pager, { page: 4, perPage: 20, shown: 1, total: null, nextPage: null })
    expect(only<HTMLButtonElement>('[aria-label="Next page"]').disabled).toBe(true)
  })
})

describe('empty and error states', () => {
  const error = (status: number) => Object.assign(new Error(`${status} Some message`), { status })

  it('describe what is missing, forbidden or broken', () => {
    const words = (status: number) => mountPart(ErrorState, { what: 'project', error: error(status) }).element
    expect(words(404).querySelector('h2')?.textContent).toBe('Not found')
    expect(words(404).querySelector('a')?.getAttribute('href')).toBe('/')
    expect(words(403).querySelector('h2')?.textContent).toBe('No access to project')
    expect(words(500).querySelector('h2')?.textContent).toBe('Could not load project')
    expect(words(500).getAttribute('role')).toBe('alert')
  })

  it('offer a first action below the title', () => {
    const { element } = mountPart(
      EmptyState,
      { icon: FolderGit2, title: 'No projects yet', text: 'Create one.' },
      { default: () => h('button', 'New project') },
    )
    expect([...element.children].map((child) => child.tagName.toLowerCase())).toEqual([
      'svg',
      'h2',
      'p',
      'button',
    ])
  })

  it('announce loading rows', () => {
    const { element } = mountPart(SkeletonRows, { rows: 4, two: true })
    expect(element.getAttribute('role')).toBe('status')
    expect(element.querySelectorAll('.line')).toHaveLength(4)
  })
})

describe('FilterPick', () => {
  const filter = {
    key: 'state',
    label: 'State',
    kind: 'choice' as const,
    options: [
      { value: 'open', label: 'Open' },
      { value: 'closed', label: 'Closed' },
    ],
  }

  it('shows its value, and clears it', async () => {
    const { values } = mountPart(FilterPick, { filter, scope: null }, {}, { modelValue: 'closed' })
    expect(only('.pick').textContent?.trim()).toBe('State: Closed')
    only('[aria-label="Clear State"]').click()
    await drawn()
    expect(values.value).toEqual({ modelValue: '' })
    expect(only('.pick').textContent?.trim()).toBe('State')
  })

  it('offers its options', async () => {
    const { values } = mountPart(FilterPick, { filter, scope: null }, {}, { modelValue: '' })
    only('.pick').click()
    await drawn()
    const options = [...document.querySelectorAll<HTMLElement>('[role=option]')]
    expect(options.map((option) => option.textContent?.trim())).toEqual(['Open', 'Closed'])
    options[0]!.click()
    await drawn()
    expect(values.value).toEqual({ modelValue: 'open' })
  })
})

describe('components for code', () => {
  it('cuts a long name before its end', () => {
    const { element } = mountPart(CutName, { name: 'a-rather-long-name.tar.gz' })
    expect(element.textContent).toBe('a-rather-long-name.tar.gz')
    expect(element.lastElementChild?.textContent).toBe('me.tar.gz')
  })

  it('goes to the next match with Enter, and closes with Escape', async () => {
    const [onGo, onClose] = [heard(), heard()]
    const { element } = mountPart(FindBar, { at: 0, of: 2, onGo, onClose }, {}, { query: 'tide' })
    await drawn()
    expect(document.activeElement).toBe(only('input'))
    expect(only('[role=status]').textContent).toBe('1 of 2')
    press(only('input'), 'Enter')
    press(only('input'), 'Enter', { shiftKey: true })
    press(element, 'Escape')
    expect(onGo.mock.calls).toEqual([[1], [-1]])
    expect(onClose).toHaveBeenCalledOnce()
  })

  it('reports that nothing matches, and disables its steps', () => {
    mountPart(FindBar, { at: 0, of: 0 }, {}, { query: 'tide' })
    expect(only('[role=status]').textContent).toBe('No results')
    expect(only<HTMLButtonElement>('[aria-label="Next match"]').disabled).toBe(true)
  })

  it('link a label to its issues', () => {
    expect(mountPart(LabelChip, { name: 'bug', color: '#d9534f' }).element.tagName).toBe('SPAN')
    expect(mountPart(LabelChip, { name: 'bug', to: '/issues' }).element.getAttribute('href')).toBe('/issues')
  })
})
