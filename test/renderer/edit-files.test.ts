import { describe, expect, it } from 'vitest'
import {
  actionsOf,
  changedFiles,
  diffsOf,
  kindOf,
  problemOf,
  usualMessage,
  type Edited,
} from '../../renderer/views/repository/edit-files/changes.ts'

const file = (path: string, more: Partial<Edited> = {}): Edited => ({
  key: path,
  former: path,
  path,
  before: 'a\n',
  text: 'a\n',
  form: { crlf: false, bom: false },
  last_commit_id: 'abc',
  isText: true,
  deleted: false,
  ...more,
})
const edited = file('edited.txt', { text: 'b\n', form: { crlf: true, bom: false } })
const added = file('new.txt', { former: null, before: '', text: 'n\n', last_commit_id: null })
const removed = file('gone.txt', { deleted: true })
const moved = file('former.txt', { path: ' docs/later.txt ' })
const same = file('same.txt')
const all = [added, same, moved, edited, removed]

describe('changes of several files', () => {
  it('are those that differ from the commit', () => {
    expect(all.map(kindOf)).toEqual(['added', null, 'renamed', 'modified', 'deleted'])
    expect(changedFiles(all)).not.toContain(same)
    expect(kindOf(file('x', { former: null, deleted: true }))).toBeNull()
  })

  it('become actions in an order without path conflicts', () => {
    expect(actionsOf(all, false)).toEqual([
      { action: 'delete', file_path: 'gone.txt', last_commit_id: 'abc' },
      { action: 'move', file_path: 'docs/later.txt', previous_path: 'former.txt', last_commit_id: 'abc' },
      {
        action: 'update',
        file_path: 'edited.txt',
        content: btoa('b\r\n'),
        encoding: 'base64',
        last_commit_id: 'abc',
      },
      { action: 'create', file_path: 'new.txt', content: btoa('n\n'), encoding: 'base64' },
    ])
    expect(actionsOf(all, true).every((action) => !('last_commit_id' in action))).toBe(true)
    const renamed = actionsOf([{ ...moved, text: 'c\n' }], false)
    expect(renamed).toMatchObject([{ action: 'move', content: btoa('c\n') }])
  })

  it('return an error for a path of another file', () => {
    const paths = new Set(['gone.txt', 'same.txt', 'former.txt', 'edited.txt'])
    const problem = (path: string, others: Edited[] = all) => {
      const edited = file('n', { former: null, path })
      return problemOf(edited, [...others, edited], paths)
    }
    expect(problem('fresh.txt')).toBeNull()
    expect(problem('gone.txt')).toBeNull()
    expect(problem('former.txt')).toBeNull()
    expect(problem('same.txt', [])).toBe('A file has this path already')
    expect(problem('docs/later.txt')).toBe('A file has this path already')
    expect(problem('')).toBe('Enter a file name.')
    expect(problemOf(edited, all, paths)).toBeNull()
  })

  it('are shown as a diff and summarized in a commit message', () => {
    expect(diffsOf([removed, added])).toMatchObject([
      { diff: '@@ -1,1 +1,0 @@\n-a\n', new_path: 'gone.txt', deleted_file: true },
      { diff: '@@ -1,0 +1,1 @@\n+n\n', new_path: 'new.txt', new_file: true },
    ])
    expect(usualMessage(all)).toBe('Change 4 files')
    expect(usualMessage([edited])).toBe('Update edited.txt')
    expect(usualMessage([removed])).toBe('Delete gone.txt')
    expect(usualMessage([moved])).toContain('docs/later.txt')
  })
})
