import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import {
  copyDurably,
  moveDurably,
  syncTreeNow,
  writeDurably,
} from '../../../server/lib/files/durable-file.ts'

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'deskforge-durable-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

describe('durable files', () => {
  it('replace older ones atomically, in folders that only the owner can read', async () => {
    const dir = folder()
    for (const content of ['first', 'second']) {
      writeFileSync(join(dir, 'from'), content)
      await moveDurably(join(dir, 'from'), join(dir, 'a/b/to'))
      expect(readFileSync(join(dir, 'a/b/to'), 'utf8')).toBe(content)
      expect(existsSync(join(dir, 'from'))).toBe(false)
    }
    expect(statSync(join(dir, 'a')).mode & 0o077).toBe(0)
    expect(readdirSync(join(dir, 'a/b'))).toEqual(['to'])
  })

  it('keep the original when they are copied', async () => {
    const dir = folder()
    writeFileSync(join(dir, 'from'), 'content')
    await copyDurably(join(dir, 'from'), join(dir, 'a/to'))
    expect(readFileSync(join(dir, 'a/to'), 'utf8')).toBe('content')
    expect(readFileSync(join(dir, 'from'), 'utf8')).toBe('content')
  })

  it('keep the old file and leave no incomplete one if they cannot be written', async () => {
    const dir = folder()
    mkdirSync(join(dir, 'taken'))
    writeFileSync(join(dir, 'taken/inside'), 'kept')
    expect(() => writeDurably(join(dir, 'taken'), 'new')).toThrow(/EISDIR|EPERM/)
    await expect(copyDurably(join(dir, 'missing'), join(dir, 'to'))).rejects.toThrow('ENOENT')
    expect(readdirSync(dir)).toEqual(['taken'])
    expect(readFileSync(join(dir, 'taken/inside'), 'utf8')).toBe('kept')
  })

  it('are readable by the owner only', () => {
    const dir = folder()
    writeDurably(join(dir, 'key'), 'secret')
    writeDurably(join(dir, 'key'), 'another')
    expect(readFileSync(join(dir, 'key'), 'utf8')).toBe('another')
    expect(statSync(join(dir, 'key')).mode & 0o777).toBe(0o600)
    syncTreeNow(dir)
  })
})
