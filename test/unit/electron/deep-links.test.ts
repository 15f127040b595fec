import { describe, expect, it } from 'vitest'

import { pageAmong, pageOf } from '../../../electron/deep-links.ts'

describe('a deskforge:// address', () => {
  it.each([
    ['deskforge://group/project', '/group/project'],
    ['deskforge:///group/project/-/merge_requests/1', '/group/project/-/merge_requests/1'],
    ['DESKFORGE://group/project?tab=notes#note_5', '/group/project?tab=notes#note_5'],
    ['deskforge://group/../../-/profile', '/-/profile'],
    ['deskforge:////other.example/x', '/other.example/x'],
    ['deskforge://', '/'],
    ['deskforge://ünï/code', '/%C3%BCn%C3%AF/code'],
  ])('%s opens %s', (address, page) => {
    expect(pageOf(address)).toBe(page)
  })

  it.each([
    'https://example.com/group/project',
    'deskforge:group/project',
    'javascript:alert(1)',
    'deskforge://group\\..\\x',
    'deskforge://group/\nproject',
    'deskforge://api/v4/user',
    'deskforge://oauth/authorize?client_id=1',
    'deskforge://group/project.git/info/refs',
    `deskforge://${'x'.repeat(3000)}`,
    '',
  ])('%j opens nothing', (address) => {
    expect(pageOf(address)).toBeUndefined()
  })

  it('is found among the arguments that a second start hands over', () => {
    const args = [
      '/opt/deskforge/deskforge',
      '--no-sandbox',
      'deskforge://group/project',
      'deskforge://other/one',
    ]
    expect(pageAmong(args)).toBe('/group/project')
    expect(pageAmong(['--hidden', 'notes.txt'])).toBeUndefined()
  })
})
