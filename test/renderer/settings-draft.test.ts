import { expect, test } from 'vitest'
import { nextTick, reactive } from 'vue'
import { sentValue, shownValue, type SettingLine } from '../../renderer/components/form/setting-lines.ts'
import { useSettingDraft } from '../../renderer/composables/useSettingDraft.ts'

const lines: readonly SettingLine[] = [
  { key: 'name', kind: 'text', label: 'Name' },
  { key: 'depth', kind: 'number', label: 'Depth' },
  { key: 'open', kind: 'switch', label: 'Open' },
  { key: 'method', kind: 'choice', label: 'Method', options: [{ value: 'merge', label: 'Merge' }] },
]
const line = (key: string) => lines.find((line) => line.key === key)!

test('empty texts and numbers are null, and missing values have a default', () => {
  expect(shownValue(line('name'), null)).toBe('')
  expect(shownValue(line('open'), null)).toBe(false)
  expect(shownValue(line('method'), undefined)).toBe('merge')
  expect(sentValue(line('name'), '')).toBeNull()
  expect(sentValue(line('depth'), ' ')).toBeNull()
  expect(sentValue(line('depth'), '20')).toBe(20)
})

test('only changed values are sent, and discarding restores the stored ones', () => {
  const form = useSettingDraft(lines, () => ({ name: 'tern', depth: 20, open: true, method: 'merge' }))
  expect(form.isDirty.value).toBe(false)
  form.draft['depth'] = ''
  form.draft['open'] = false
  expect(form.changed.value).toEqual({ depth: null, open: false })
  form.discard()
  expect(form.changed.value).toEqual({})
})

test('untouched fields follow the stored values, and changed fields keep theirs', async () => {
  const stored = reactive({ name: 'tern', depth: 20, open: true, method: 'merge' })
  const form = useSettingDraft(lines, () => stored)
  form.draft['name'] = 'arctic tern'
  Object.assign(stored, { name: 'common tern', depth: 5 })
  await nextTick()
  expect(form.draft).toMatchObject({ name: 'arctic tern', depth: '5' })
  expect(form.changed.value).toEqual({ name: 'arctic tern' })
  form.settle({ ...stored, name: 'arctic tern' })
  expect(form.isDirty.value).toBe(false)
})
