import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { Secrets } from '../../../server/lib/security/secrets.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deskforge-test-'))
  file = join(folder, 'secrets.key')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('a sealed value', () => {
  it('opens again, also after a restart', () => {
    const sealed = new Secrets(file).seal('tide 🦆', 'ci_variables.value')
    expect(new Secrets(file).open(sealed, 'ci_variables.value').toString()).toBe('tide 🦆')
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('does not reveal its content, and is different each time', () => {
    const secrets = new Secrets(file)
    const [first, two] = [
      secrets.seal('password', 'ci_variables.value'),
      secrets.seal('password', 'ci_variables.value'),
    ]
    expect(first).not.toBe(two)
    expect(Buffer.from(first.slice(3), 'base64').includes('password')).toBe(false)
  })

  it('may contain bytes, or be empty', () => {
    const secrets = new Secrets(file)
    const bytes = Buffer.from([0, 255, 10])
    expect(secrets.open(secrets.seal(bytes, 'ci_variables.value'), 'ci_variables.value').equals(bytes)).toBe(
      true,
    )
    expect(secrets.open(secrets.seal('', 'ci_variables.value'), 'ci_variables.value')).toHaveLength(0)
  })

  it('does not open for another purpose, after a change, or with another key', () => {
    const secrets = new Secrets(file)
    const sealed = secrets.seal('password', 'web_hooks.url')
    expect(() => secrets.open(sealed, 'web_hooks.token')).toThrow(/cannot be decrypted/)
    expect(() => secrets.open(`${sealed.slice(0, -4)}AAAA`, 'web_hooks.url')).toThrow(/cannot be decrypted/)
    expect(() => secrets.open('v1:', 'web_hooks.url')).toThrow(/cannot be decrypted/)
    expect(() => secrets.open('password', 'web_hooks.url')).toThrow(/unknown way/)
    const others = new Secrets(join(folder, 'other.key'))
    others.seal('something', 'web_hooks.url')
    expect(() => others.open(sealed, 'web_hooks.url')).toThrow(/cannot be decrypted/)
  })

  it('cannot be opened without the key, and the error says so', () => {
    const sealed = new Secrets(file).seal('password', 'web_hooks.url')
    const key = readFileSync(file)
    writeFileSync(file, 'damaged')
    expect(() => new Secrets(file).open(sealed, 'web_hooks.url')).toThrow(/damaged/)
    rmSync(file)
    expect(() => new Secrets(file).open(sealed, 'web_hooks.url')).toThrow(/missing/)
    writeFileSync(file, key)
    expect(new Secrets(file).open(sealed, 'web_hooks.url').toString()).toBe('password')
  })
})
