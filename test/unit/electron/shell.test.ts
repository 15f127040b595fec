import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, describe, expect, it } from 'vitest'

import { accentOf } from '../../../electron/accent.ts'
import { LaunchError, readLaunch } from '../../../electron/launch.ts'
import { changesOf, isFeed, recentProjectsOf } from '../../../electron/preferences.ts'
import { clone, cloneRequestOf } from '../../../electron/clone.ts'
import { isEditorLink, isOwn, isOwnCertificate, isPath, isWeb } from '../../../electron/origin.ts'
import { selfSigned } from '../../support/certificates.ts'

describe('the origin guard', () => {
  const origin = 'http://127.0.0.1:7080'

  it.each([
    ['http://127.0.0.1:7080/group/project', true],
    ['http://127.0.0.1:7081/', false],
    ['https://127.0.0.1:7080/', false],
    ['http://127.0.0.1:7080.evil.example/', false],
    ['http://127.0.0.1:7080@evil.example/', false],
    ['file:///etc/passwd', false],
    ['about:blank', false],
    ['', false],
    [undefined, false],
  ])('says of %j: own is %j', (url, own) => {
    expect(isOwn(url, origin)).toBe(own)
  })

  it('opens only web addresses in the system browser', () => {
    expect(['http://a.example', 'https://a.example/b'].every(isWeb)).toBe(true)
    expect(['file:///x', 'javascript:alert(1)', 'smb://host', 'x', null, 5].some(isWeb)).toBe(false)
  })

  it('opens links of editors that clone a web address, and no other links of editors', () => {
    const address = encodeURIComponent('http://127.0.0.1:7080/root/tern.git')
    const links = [
      `vscode://vscode.git/clone?url=${address}`,
      `jetbrains://idea/checkout/git?idea.required.plugins.id=Git4Idea&checkout.repo=${address}`,
    ]
    expect(links.every(isEditorLink)).toBe(true)
    const others = [
      'vscode://file/etc/passwd',
      'vscode://vscode.git/clone?url=file%3A%2F%2F%2Fetc',
      `vscode://evil.extension/clone?url=${address}`,
      'jetbrains://idea/navigate/reference',
      'https://a.example',
      null,
    ]
    expect(others.some(isEditorLink)).toBe(false)
  })

  it('accepts a path only if it cannot name a host', () => {
    expect(['/', '/group/project', '/a?b#c'].every(isPath)).toBe(true)
    expect(['//evil.example', '/\\evil.example', 'x', '', '/a\nb', null].some(isPath)).toBe(false)
  })
})

describe('the certificate of the instance', () => {
  const folder = mkdtempSync(join(tmpdir(), 'deskforge-test-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const make = (name: string): string => readFileSync(selfSigned(folder, name).tlsCert, 'utf8')
  const [own, other] = [make('own'), make('other')]
  const origin = 'https://127.0.0.1:7080'

  it('is accepted at the host of the instance, and no other certificate is', () => {
    expect(isOwnCertificate({ hostname: '127.0.0.1', pem: own }, origin, own)).toBe(true)
    expect(isOwnCertificate({ hostname: '::1', pem: own }, 'https://[::1]:7080', own)).toBe(true)
    // The file may contain the certificate of the issuer after that of the instance.
    expect(isOwnCertificate({ hostname: '127.0.0.1', pem: own }, origin, own + other)).toBe(true)
    expect(isOwnCertificate({ hostname: '127.0.0.1', pem: other }, origin, own)).toBe(false)
    expect(isOwnCertificate({ hostname: 'a.example', pem: own }, origin, own)).toBe(false)
    expect(isOwnCertificate({ hostname: '127.0.0.1', pem: 'x' }, origin, own)).toBe(false)
    expect(isOwnCertificate({ hostname: '127.0.0.1', pem: own }, origin, undefined)).toBe(false)
  })
})

describe('the accent colour', () => {
  it.each([
    ['ff0000ff', 29, 1],
    ['#0000ff', 264, 1],
    ['00ff00', 142, 1],
    ['007affff', 257, 1],
  ])('of %s has hue %j and chroma %j', (color, hue, chroma) => {
    const accent = accentOf(color)
    expect(accent?.chroma).toBe(chroma)
    expect(Math.abs((accent?.hue ?? -1000) - hue)).toBeLessThanOrEqual(1)
  })

  it('is graphite for grey', () => {
    expect(accentOf('808080ff')?.chroma).toBe(0)
  })

  it.each(['', 'red', '#ff', '12345678901'])('is none for %j', (color) => {
    expect(accentOf(color)).toBeNull()
  })
})

describe('the launch options', () => {
  it('prefer arguments over the environment, and ignore those of Chromium', () => {
    const env = { DESKFORGE_PORT: '1', DESKFORGE_DATA_DIR: '/env', DESKFORGE_HOST: '::1' }
    const args = ['--no-sandbox', '--port', '8080', '--data-dir=/arg', 'dist/electron/main.js']
    expect(readLaunch(args, env)).toMatchObject({
      dataDir: '/arg',
      server: { port: 8080, host: '::1' },
      isHidden: false,
    })
  })

  it('name the files of a certificate', () => {
    const { server } = readLaunch(['--tls-cert', '/etc/a.crt', '--tls-key=a.key'], {})
    expect([server.tlsCert, server.tlsKey]).toEqual(['/etc/a.crt', join(process.cwd(), 'a.key')])
    expect(readLaunch([], { DESKFORGE_TLS_CERT: '/b.crt' }).server.tlsCert).toBe('/b.crt')
  })

  it('leave unset options to the server', () => {
    expect(readLaunch(['--hidden'], {})).toEqual({ server: {}, targets: [], isHidden: true })
  })

  it('accept port 0 for any free port', () => {
    expect(readLaunch(['--port', '0'], {}).server.port).toBe(0)
  })

  it.each(['65536', '-1', 'http', '80.5', '1e3'])('refuse the port %s in one sentence', (port) => {
    const read = () => readLaunch([`--port=${port}`], {})
    expect(read).toThrow(LaunchError)
    expect(read).toThrow(`The port must be a number from 0 to 65535, not "${port}".`)
  })
})

describe('changes of preferences', () => {
  it('keep valid values and drop all others', () => {
    const changes = {
      port: 8080,
      updates: true,
      gitPath: '/bin/sh',
      notifications: 'no',
      dataDir: '/',
      updateFeed: 5,
    }
    expect(changesOf(changes)).toEqual({ port: 8080, updates: true })
    expect(changesOf({ port: 0, gitPath: null })).toEqual({ gitPath: null })
    expect([changesOf(null), changesOf('x'), changesOf([])]).toEqual([{}, {}, {}])
  })

  it.each([
    ['https://releases.example/deskforge', true],
    ['http://127.0.0.1:8080/', true],
    ['http://releases.example/', false],
    ['http://127.0.0.1.evil.example/', false],
    ['file:///tmp', false],
    ['', false],
  ])('take %s as a release address: %j', (address, expected) => {
    expect(isFeed(address)).toBe(expected)
  })

  it('accept recent projects with a name and a page of the instance', () => {
    const projects = [
      { name: 'a', path: '/g/a', more: 1 },
      { name: 'b', path: '//host/b' },
      { path: '/c' },
      null,
    ]
    expect(recentProjectsOf(projects)).toEqual([{ name: 'a', path: '/g/a' }])
    expect(recentProjectsOf({})).toEqual([])
  })
})

describe('cloning to a folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'deskforge-test-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const origin = 'http://127.0.0.1:7080'
  const request = { url: `${origin}/root/tern.git`, name: 'tern', username: 'root', token: 'secret' }

  it('accepts only repositories of the instance and plain names', () => {
    expect(cloneRequestOf(request, origin)).toEqual(request)
    const wrong = [
      { url: 'http://a.example/root/tern.git' },
      { url: 'http://root:x@127.0.0.1:7080/root/tern.git' },
      { url: 'file:///etc' },
      { name: '../tern' },
      { name: '-tern' },
      { name: '.git' },
      { name: '' },
      { username: 'a:b' },
      { token: 'a\nb' },
      { token: 5 },
    ]
    for (const change of wrong)
      expect([change, cloneRequestOf({ ...request, ...change }, origin)]).toEqual([change, undefined])
    expect(cloneRequestOf(null, origin)).toBeUndefined()
  })

  it('passes the token for the new folder only, and returns the error', async () => {
    const calls: object[] = []
    const answers = [undefined, 'repository not found']
    const shell = {
      origin,
      clone: async (options: object) => {
        calls.push(options)
        return answers.shift()
      },
    }
    const path = join(folder, 'tern')
    expect(await clone(shell, folder, request)).toEqual({ path })
    expect(calls).toEqual([{ url: request.url, path, authorization: `Basic ${btoa('root:secret')}` }])
    expect(await clone(shell, folder, request)).toEqual({ problem: 'repository not found' })
    writeFileSync(path, '')
    expect(await clone(shell, folder, request)).toEqual({ problem: `There is a folder at ${path} already.` })
    const refused = { problem: 'This repository cannot be cloned to that folder.' }
    for (const parent of ['work', join(folder, 'none'), 5])
      expect(await clone(shell, parent, request)).toEqual(refused)
    expect(calls).toHaveLength(2)
  })
})
