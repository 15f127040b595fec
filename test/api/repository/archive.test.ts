import { execFileSync } from 'node:child_process'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { extract } from 'tar-stream'
import { beforeAll, describe, expect, it } from 'vitest'

import { isPossible } from '../../support/possible.ts'
import { world } from '../../support/world.ts'
import { fill } from './fill.ts'

const instance = await world()
const { as, make } = instance
const reader = make.user({ username: 'reader' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let head: string
let at: string

beforeAll(async () => {
  project = await make.project({ path: 'stuff', visibility: 'private' })
  await make.member('projects', project.id, reader, 20)
  const ids = fill(instance, project, [
    {
      files: {
        'readme.md': 'Hello\n',
        'src/ü.txt': 'one\n',
        'src/run.sh': { mode: '100755', content: '#!/bin/sh\n' },
      },
    },
    { branch: 'feature/x', files: { 'src/new.txt': 'new\n' } },
  ])
  head = ids[0]!
  at = `/projects/${project.id}/repository/archive`
})

/** Downloads a file. Each call is by another user, because a user may download only a few archives per minute. */
async function bytes(path: string, headers: Record<string, string> = {}) {
  const user = make.user()
  await make.member('projects', project.id, user, 20)
  const url = `${instance.url}${path.startsWith('!') ? path.slice(1) : `/api/v4${path}`}`
  const response = await fetch(url, { headers: { 'private-token': user.token, ...headers } })
  return {
    status: response.status,
    headers: response.headers,
    data: Buffer.from(await response.arrayBuffer()),
  }
}

async function namesIn(tar: Buffer): Promise<string[]> {
  const names: string[] = []
  for await (const entry of Readable.from([tar]).pipe(extract())) {
    names.push(entry.header.type === 'directory' ? entry.header.name.replace(/\/?$/, '/') : entry.header.name)
    await buffer(entry)
  }
  return names
}

const fileOf = (headers: Headers) => /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '')?.[1]
const can = (program: string) => {
  try {
    execFileSync(program, ['--help'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
const canUnpack = isPossible(can('bzip2'), 'there is no bzip2 to unpack with')

describe('GET /projects/:id/repository/archive', () => {
  it('sends the default branch as tar.gz, with a top folder named after the commit', async () => {
    const { status, headers, data } = await bytes(at)
    const folder = `stuff-main-${head}`
    expect([status, headers.get('content-type')]).toEqual([200, 'application/octet-stream'])
    expect(headers.get('content-disposition')).toMatch(/^attachment; /)
    expect(fileOf(headers)).toBe(`${folder}.tar.gz`)
    expect(await namesIn(gunzipSync(data))).toEqual(
      ['', 'readme.md', 'src/', 'src/run.sh', 'src/ü.txt'].map((name) => `${folder}/${name}`),
    )
  })

  it('supports every format in the path and as a parameter', async () => {
    for (const name of ['tar.gz', 'tgz', 'gz'])
      expect(fileOf((await bytes(`${at}.${name}`)).headers)).toBe(`stuff-main-${head}.tar.gz`)
    const tar = await bytes(`${at}.tar`)
    expect((await namesIn(tar.data)).length).toBe(5)
    const zip = await bytes(`${at}?format=zip`)
    expect([fileOf(zip.headers), zip.headers.get('content-type')]).toEqual([
      `stuff-main-${head}.zip`,
      'application/zip',
    ])
    expect(zip.data.subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004')
  })

  it.runIf(canUnpack)('accepts all names of the bzip2 format', async () => {
    for (const name of ['tar.bz2', 'tbz', 'tbz2', 'tb2', 'bz2']) {
      const { status, headers, data } = await bytes(`${at}.${name}`)
      expect([status, fileOf(headers)]).toEqual([200, `stuff-main-${head}.tar.bz2`])
      const tar = execFileSync('bzip2', ['-dc'], { input: data })
      expect((await namesIn(tar)).length).toBe(5)
    }
  })

  it('accepts a ref with a slash, an id and a folder', async () => {
    const branch = await bytes(`${at}.tar?sha=feature%2Fx&path=src`)
    const folder = /^(stuff-feature-x-[0-9a-f]{40}-src)\.tar$/.exec(fileOf(branch.headers)!)![1]
    expect(await namesIn(branch.data)).toEqual([`${folder}/`, `${folder}/src/`, `${folder}/src/new.txt`])
    expect(fileOf((await bytes(`${at}.tar?sha=${head}`)).headers)).toBe(`stuff-${head}-${head}.tar`)
  })

  it('returns an error for an unknown ref, folder or format', async () => {
    const client = as(instance.root)
    expect(await client.get(`${at}?sha=nope`)).toMatchObject({
      status: 404,
      body: { message: '404 File Not Found' },
    })
    expect((await client.get(`${at}?path=nope`)).status).toBe(404)
    expect((await client.get(`${at}?path=../x`)).status).toBe(400)
    expect(await client.get(`${at}.rar`)).toMatchObject({
      status: 406,
      body: { error: "The requested format 'rar' is not supported." },
    })
    const empty = await make.project()
    expect((await client.get(`/projects/${empty.id}/repository/archive`)).status).toBe(404)
  })

  it('returns 304 if the caller already has the archive, and only headers on HEAD', async () => {
    const first = await bytes(`${at}.tar`)
    const etag = first.headers.get('etag')!
    expect((await bytes(`${at}.tar`, { 'if-none-match': etag })).status).toBe(304)
    expect((await bytes(`${at}.zip`, { 'if-none-match': etag })).status).toBe(200)
    const user = make.user()
    await make.member('projects', project.id, user, 20)
    const answer = await as(user).head(`${at}.zip`)
    expect([answer.status, fileOf(answer.headers), answer.text]).toEqual([200, `stuff-main-${head}.zip`, ''])
  })

  it('limits a user to five archives of a project per minute', async () => {
    const user = make.user()
    await make.member('projects', project.id, user, 20)
    const answers = []
    for (let count = 0; count < 6; count++) answers.push(await as(user).head(`${at}.tar`))
    expect(answers.slice(0, 5).map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200])
    expect(await as(user).get(`${at}.tar`)).toMatchObject({
      status: 429,
      body: {
        message: { error: 'This archive has been requested too many times. Try again later.' },
      },
    })
    const other = await make.project({ owner: user, with: 'readme' })
    expect((await as(user).head(`/projects/${other.id}/repository/archive.tar`)).status).toBe(200)
  })

  it('blocks embedding in other sites, and callers who may not read the code', async () => {
    const hot = { 'sec-fetch-mode': 'no-cors', 'sec-fetch-site': 'cross-site' }
    expect((await bytes(`${at}.tar`, hot)).status).toBe(406)
    const guest = make.user()
    await make.member('projects', project.id, guest, 10)
    expect((await as(guest).get(at)).status).toBe(403)
    expect((await as(make.user()).get(at)).status).toBe(404)
    expect((await as(null).get(at)).status).toBe(404)
  })
})

describe('GET /<project>/-/archive/<ref>/<name>.<format>', () => {
  const web = (rest: string) => `!/root/stuff/-/archive/${rest}`

  it('sends archives at the addresses that releases link to', async () => {
    const { status, headers, data } = await bytes(web('main/stuff-main.tar.gz'))
    expect([status, fileOf(headers)]).toEqual([200, 'stuff-main.tar.gz'])
    expect((await namesIn(gunzipSync(data)))[0]).toBe('stuff-main/')
    expect(fileOf((await bytes(web('feature/x/stuff-feature-x.zip'))).headers)).toBe('stuff-feature-x.zip')
    expect(fileOf((await bytes(web('main/whatever.tar?path=src'))).headers)).toBe(
      `stuff-main-${head}-src.tar`,
    )
    expect(fileOf((await bytes(web('main.tar'))).headers)).toBe(`stuff-main-${head}.tar`)
  })

  it('returns 404 for unknown refs and for projects that the caller may not see', async () => {
    expect((await bytes(web('nope/stuff-nope.zip'))).status).toBe(404)
    expect((await bytes(web('main/stuff-main.rar'))).status).toBe(404)
    expect((await as(null).get(web('main/stuff-main.zip'))).status).toBe(404)
  })
})
