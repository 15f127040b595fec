import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, describe, expect, it } from 'vitest'

import { pageOf, pageRequestIn, pageRequestFor } from '../../../electron/page-request.ts'

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

  it('is found among the arguments of a second start', () => {
    const args = ['notes.txt', 'deskforge://group/project', 'deskforge://other/one']
    expect(pageRequestIn(args, '/')).toEqual({ page: '/group/project' })
    expect(
      pageRequestIn(['deskforge:////api/v4/x', 'https://example.com/', 'javascript:x', ''], '/'),
    ).toEqual({})
  })
})

describe('a dropped folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'deskforge-test-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const make = (name: string, ...inside: string[]): string => {
    const path = join(folder, name)
    for (const name of ['', ...inside]) mkdirSync(join(path, name), { recursive: true })
    return path
  }
  const queryOf = ({ page }: { page?: string }) =>
    Object.fromEntries(new URL(page ?? '', 'http://a').searchParams)

  it('opens the page that creates a project, with its name', () => {
    const path = make('Büro & Co?#', 'a')
    expect(pageRequestFor(path).page).toMatch(/^\/projects\/new\?name=/)
    expect(queryOf(pageRequestFor(path))).toEqual({ name: 'Büro & Co?#', folder: path })
  })

  it('is recognized as a repository, with a work tree or bare', () => {
    const [tree, bare] = [make('tree', '.git'), make('bare.git', 'objects', 'refs')]
    writeFileSync(join(bare, 'HEAD'), '')
    for (const path of [tree, bare]) expect(queryOf(pageRequestFor(path))['repository']).toBe('true')
  })

  it('may be a path relative to the program, or a file URL', () => {
    const path = make('x y')
    for (const argument of ['x y', path, `file://${folder}/x%20y`])
      expect(queryOf(pageRequestIn([argument], folder))['folder']).toBe(path)
    expect(pageRequestIn([path], folder, [path])).toEqual({})
  })

  it('is refused with a message if it is no folder', () => {
    const file = join(folder, 'notes.txt')
    writeFileSync(file, '')
    expect(pageRequestFor(file)).toEqual({
      problem: `${file} is a file. Drop a folder to create a project for it.`,
    })
    expect(pageRequestFor(join(folder, 'gone')).problem).toBe(`There is no folder ${join(folder, 'gone')}.`)
    expect(pageRequestFor(join(file, 'x')).problem).toContain('There is no folder')
    expect(pageRequestIn(['file://other-host/x', 'a\0b'], folder)).toEqual({})
  })
})
