import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, describe, expect, it } from 'vitest'

import type { MoveProgress } from '../../../electron/bridge.ts'
import { useDataDir, chosenDataDir, copyDataDir, moveProblem } from '../../../electron/data-folder.ts'
import { withoutSecrets } from '../../../electron/masking.ts'
import { scratch } from '../../support/server-process.ts'

const here = scratch()
afterAll(() => here.clear())

describe('moving the data folder', () => {
  const from = here.path('from')
  const to = here.path('to')
  mkdirSync(join(from, 'window/Cache'), { recursive: true })
  mkdirSync(join(from, 'repositories'))
  writeFileSync(join(from, 'repositories/pack'), Buffer.alloc(10_000))
  writeFileSync(join(from, 'window/preferences.json'), '{}')
  writeFileSync(join(from, 'window/Cache/data'), Buffer.alloc(5000))

  it('copies everything but the files of Chromium, and reports its progress', async () => {
    const reported: MoveProgress[] = []
    await copyDataDir(from, to, (progress) => reported.push(progress))
    expect(readFileSync(join(to, 'repositories/pack'))).toHaveLength(10_000)
    expect(existsSync(join(to, 'window/preferences.json'))).toBe(true)
    expect(existsSync(join(to, 'window/Cache'))).toBe(false)
    expect(new Set(reported.map((progress) => progress.totalBytes))).toEqual(new Set([15_002]))
    const copied = reported.map((progress) => progress.copiedBytes)
    expect(copied).toEqual([...copied].sort((a, b) => a - b))
    expect(copied.at(-1)).toBe(10_002)
  })

  it('refuses the folder itself, one inside it and a full one', () => {
    expect(moveProblem(from, from)).toBe('The new folder must not be the present one or be inside it.')
    expect(moveProblem(from, join(from, 'a'))).toBe(
      'The new folder must not be the present one or be inside it.',
    )
    expect(moveProblem(from, to)).toBe(`The folder ${to} is not empty.`)
    expect(moveProblem(from, here.path('new'))).toBeUndefined()
  })
})

describe('choosing the data folder', () => {
  const home = here.path('home')
  const make = (name: string, ...files: string[]) => {
    const folder = here.path(name)
    mkdirSync(folder)
    for (const file of files) writeFileSync(join(folder, file), '')
    return folder
  }

  it('takes an empty folder, a new disk and one with data', () => {
    const folders = [
      make('empty'),
      make('disk', '.Trashes', 'desktop.ini'),
      make('used', 'deskforge.db', 'notes'),
    ]
    for (const folder of folders) {
      expect(useDataDir(home, folder)).toBeUndefined()
      expect(chosenDataDir(home)).toBe(folder)
    }
  })

  it('refuses a folder with other files, and keeps the choice before', () => {
    const before = chosenDataDir(home)
    const letters = make('letters', 'letter.txt')
    expect(useDataDir(home, letters)).toBe(
      `The folder ${letters} has other files and no data of Deskforge. Choose an empty folder, or create one.`,
    )
    expect(chosenDataDir(home)).toBe(before)
  })

  it('reports why the choice cannot be saved', () => {
    const file = join(make('full', 'home'), 'home')
    expect(useDataDir(file, make('other'))).toBe(
      `The choice cannot be saved in ${file}: a file is in its way.`,
    )
  })
})

describe('a diagnostic report', () => {
  it.each([
    ['token glpat-abcdefgh12345678 used', 'token [masked] used'],
    ['glrt-G9ziwspLqAAAA', '[masked]'],
    ['http://root:secret@127.0.0.1/x', 'http://[masked]@127.0.0.1/x'],
    ['/projects?private_token=abc&page=2', '/projects?private_token=[masked]&page=2'],
    ['"private-token":"abc","x":1', '"private-token":"[masked]","x":1'],
    ['Authorization: Bearer abc', 'Authorization: Bearer [masked]'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', '[masked]'],
    ['/home/ada/forge', '~/forge'],
    ['http://127.0.0.1:7080/a:b@c', 'http://127.0.0.1:7080/a:b@c'],
  ])('has no secret: %s', (text, expected) => {
    expect(withoutSecrets(text, '/home/ada')).toBe(expected)
  })
})
