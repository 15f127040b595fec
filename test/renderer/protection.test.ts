import { expect, test } from 'vitest'
import {
  allowedOf,
  changesOf,
  roleItem,
  allowedLabel,
  withPicked,
} from '../../renderer/views/project-settings/protection.ts'
import { fileActions, type DraftFile } from '../../renderer/views/snippets/useSnippetForm.ts'

const entry = (id: number, fields: object, access_level_description: string) => ({
  id,
  access_level: null,
  user_id: null,
  group_id: null,
  deploy_key_id: null,
  access_level_description,
  ...fields,
})

test('"no one" excludes other entries', () => {
  expect(withPicked([roleItem(40)], roleItem(0)).map((item) => item.value)).toEqual(['role:0'])
  expect(withPicked([roleItem(0)], roleItem(30)).map((item) => item.value)).toEqual(['role:30'])
  expect(withPicked([roleItem(40)], roleItem(30))).toHaveLength(2)
})

test('removed entries are destroyed by ID, and new ones are added', () => {
  const before = [entry(1, { access_level: 40 }, 'Maintainers'), entry(2, { user_id: 7 }, 'Ines')].map(
    allowedOf,
  )
  const group = allowedOf(entry(3, { group_id: 9 }, 'Crew'))
  expect(changesOf(before, [...before.slice(1), group])).toEqual([{ id: 1, _destroy: true }, { group_id: 9 }])
  expect(changesOf(before, before)).toEqual([])
})

test('the permitted users are described in words', () => {
  expect(allowedLabel([])).toBe('nobody')
  const entries = [entry(1, { access_level: 40 }, 'Maintainers'), entry(2, { user_id: 7 }, 'Ines Okafor')]
  expect(allowedLabel(entries)).toBe('Maintainers, Ines Okafor')
})

const file = (fields: Partial<DraftFile>): DraftFile => ({
  key: 0,
  before: null,
  path: 'a.sh',
  text: 'one',
  original: '',
  ...fields,
})

test('files of a snippet are created, moved, updated and deleted', () => {
  const same = file({ before: 'same.sh', path: 'same.sh', text: 'x', original: 'x' })
  const moved = file({ before: 'old.sh', path: 'new.sh', text: 'y', original: 'y' })
  const changed = file({ before: 'b.sh', path: 'b.sh', text: 'two', original: 'one' })
  expect(fileActions([same, moved, changed, file({})], ['same.sh', 'old.sh', 'b.sh', 'gone.sh'])).toEqual([
    { action: 'delete', file_path: 'gone.sh' },
    { action: 'move', previous_path: 'old.sh', file_path: 'new.sh', content: 'y' },
    { action: 'update', file_path: 'b.sh', content: 'two' },
    { action: 'create', file_path: 'a.sh', content: 'one' },
  ])
})
