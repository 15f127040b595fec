import { createHash } from 'node:crypto'

import { beforeAll, describe, expect, it } from 'vitest'

import { frozenClock } from '../../../server/lib/clock.ts'
import { world, type TestUser } from '../../support/world.ts'
import { pipelinesOf } from '../ci/artifact-world.ts'
import { fill, watchEvents } from '../repository/fill.ts'

const NOW = '2026-11-22T09:00:00.000Z'
const clock = frozenClock(NOW)
const here = await world({ clock })
const { as, make } = here
const root = as(here.root)
const developer: TestUser = make.user({ username: 'developer' })
const guest: TestUser = make.user({ username: 'guest' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let sha: string
let at: string
let path: string
let ci: ReturnType<typeof pipelinesOf>

beforeAll(async () => {
  project = await make.project({ visibility: 'private', description: 'About tides' })
  await make.member('projects', project.id, developer, 30)
  await make.member('projects', project.id, guest, 10)
  ;[sha] = fill(here, project, [{ files: { a: '1' } }]) as [string]
  ci = pipelinesOf(here, project, developer)
  at = `/projects/${project.id}/releases`
  path = `/${project.path_with_namespace}/-/releases`
  await root.post(at, { tag_name: 'rel/1.0', ref: 'main' })
  await here.drain()
})

describe('the links of a release', () => {
  const links = () => `${at}/rel%2F1.0/assets/links`

  it('are created, listed, updated and deleted', async () => {
    const received = watchEvents(here, 'release.updated')
    clock.advance(5000)
    const made = await as(developer).post(links(), { name: 'one', url: 'https://one.test/x' })
    const first = {
      id: expect.any(Number),
      name: 'one',
      url: 'https://one.test/x',
      direct_asset_url: 'https://one.test/x',
      link_type: 'other',
      external: true,
    }
    expect([made.status, made.body]).toEqual([201, first])
    const second = await as(developer).post(links(), {
      name: 'two',
      url: `${here.url}/x`,
      direct_asset_path: '/bin/two',
      link_type: 'runbook',
    })
    const direct_asset_url = `${here.url}${path}/rel%2F1.0/downloads/bin/two`
    expect(second.body).toMatchObject({ direct_asset_url, external: false, link_type: 'runbook' })
    const listed = await as(developer).get(`${links()}?per_page=1`)
    expect([listed.body, listed.headers.get('x-total')]).toEqual([[second.body], '2'])
    const recordPath = `${links()}/${made.body.id}`
    expect((await as(developer).get(recordPath)).body).toEqual(made.body)
    const changed = await as(developer).put(recordPath, { name: 'uno', filepath: '/uno', link_type: 'image' })
    expect(changed.body).toMatchObject({ name: 'uno', url: first.url, link_type: 'image' })
    expect((await as(developer).put(recordPath, { url: 'ftp://one.test' })).body).toMatchObject({
      name: 'uno',
      url: 'ftp://one.test',
      direct_asset_url: expect.stringMatching(/\/uno$/),
    })
    expect((await as(developer).put(recordPath, { name: 'uno', filepath: null })).body.direct_asset_url).toBe(
      'ftp://one.test',
    )
    const deleted = await as(developer).delete(recordPath)
    expect([deleted.status, deleted.body.name]).toEqual([200, 'uno'])
    expect((await as(developer).delete(recordPath)).body).toEqual({ message: '404 Not Found' })
    expect(received.map((event) => event['changed'])).toEqual(Array.from({ length: 6 }, () => ['links']))
    const release = (await root.get(`${at}?updated_after=2026-11-22T09:00:05Z`)).body
    expect(release).toHaveLength(1)
  })

  it.each([
    [{ name: 'x' }, { error: 'url is missing' }],
    [{ url: 'https://x.test' }, { error: 'name is missing' }],
    [{ name: 'two', url: 'https://x.test' }, { message: { name: ['has already been taken'] } }],
    [
      { name: 'x', url: 'https://x.test', filepath: '/bin/two' },
      { message: { filepath: ['has already been taken'] } },
    ],
    [
      { name: '', url: 'data:text/html,x' },
      {
        message: {
          name: ["can't be blank"],
          url: ['is blocked: Only allowed schemes are http, https, ftp'],
        },
      },
    ],
    [{ name: 'x', url: 'https://a b' }, { message: { url: ['is blocked: URI is invalid'] } }],
    [
      { name: 'x', url: 'https://x.test', filepath: `/${'a'.repeat(128)}` },
      { message: { filepath: ['is too long (maximum is 128 characters)'] } },
    ],
    [
      { name: 'x', url: 'https://x.test', filepath: '/a//b' },
      { message: { filepath: ['is in an invalid format'] } },
    ],
    [
      { name: 'x', url: 'https://x.test', filepath: `/${'-a'.repeat(60)}/` },
      { message: { filepath: ['is in an invalid format'] } },
    ],
    [
      { name: 'x', url: 'https://x.test', link_type: 'page' },
      { error: 'link_type does not have a valid value' },
    ],
  ])('are refused: %j', async (params, body) => {
    const answer = await as(developer).post(links(), params)
    expect([answer.status, answer.body]).toEqual([400, body])
  })

  it('cannot be updated without values, and require an existing release and access to the code', async () => {
    const [link] = (await root.get(links())).body
    expect((await root.put(`${links()}/${link.id}`, { link_type: 'other' })).body).toEqual({
      error: 'name, url are missing, at least one parameter must be provided',
    })
    expect((await root.get(`${at}/none/assets/links`)).status).toBe(404)
    expect((await as(guest).get(links())).status).toBe(403)
    expect((await as(guest).post(links(), { name: 'x', url: 'https://x.test' })).status).toBe(403)
  })
})

describe('the URLs of a release', () => {
  const led = async (client: ReturnType<typeof as>, address: string) => {
    const answer = await client.get(address)
    return [answer.status, answer.headers.get('location')]
  }

  it('redirect from the latest release to its tag, and keep the rest of the path and query', async () => {
    const api = `/api/v4/projects/${project.id}/releases`
    expect(await led(root, `${at}/permalink/latest`)).toEqual([302, `${api}/rel%2F1.0`])
    await root.post(at, { tag_name: 'next', ref: 'main', released_at: '2030-01-01' })
    expect(await led(root, `${at}/permalink/latest?order_by=released_at`)).toEqual([302, `${api}/next`])
    expect(
      await led(root, `${at}/permalink/latest/downloads/a%20b/c?x=1&order_by=released_at&y=%26`),
    ).toEqual([302, `${api}/next/downloads/a%20b/c?x=1&y=%26`])
    expect((await root.get(`${at}/permalink/latest?order_by=name`)).status).toBe(400)
    expect(await led(root, `!${path}/permalink/latest`)).toEqual([302, `${path}/next`])
    expect(await led(root, `!${path}/permalink/latest/downloads/x.zip?y=1`)).toEqual([
      302,
      `${path}/next/downloads/x.zip?y=1`,
    ])
    await root.delete(`${at}/next`)
    const empty = await make.project()
    expect((await root.get(`/projects/${empty.id}/releases/permalink/latest`)).status).toBe(404)
  })

  it('redirect from a path to the URL of its link', async () => {
    const url = 'https://über.test/größe'
    const link = { name: 'umlaut', url, filepath: '/deep/er/x' }
    await root.post(`${at}/rel%2F1.0/assets/links`, link)
    const target = 'https://xn--ber-goa.test/gr%C3%B6%C3%9Fe'
    expect(await led(as(developer), `${at}/rel%2F1.0/downloads/deep/er/x`)).toEqual([302, target])
    expect(await led(as(developer), `!${path}/rel%2F1.0/downloads/deep/er/x`)).toEqual([302, target])
    expect(await led(as(developer), `${at}/rel%2F1.0/downloads/none`)).toEqual([404, null])
    expect(await led(as(developer), `!${path}/rel%2F1.0/downloads/none`)).toEqual([404, null])
    for (const wrong of ['%', '%00', '%E0%A4'])
      expect((await as(developer).get(`!${path}/${wrong}/downloads/x`)).status).toBe(404)
  })

  it('are available only to users who may read the code', async () => {
    for (const rest of ['/permalink/latest', '/rel%2F1.0/downloads/deep/er/x', '/rel%2F1.0/evidences/1.json'])
      expect([
        rest,
        (await as(guest).get(`!${path}${rest}`)).status,
        (await as(null).get(`!${path}${rest}`)).status,
      ]).toEqual([rest, 403, 404])
  })
})

describe('the evidence of a release', () => {
  it('has the release at its time, with a matching checksum', async () => {
    const milestone = (await root.post(`/projects/${project.id}/milestones`, { title: 'm' })).body
    const issues = `/projects/${project.id}/issues`
    await root.post(issues, { title: 'Seen', milestone_id: milestone.id, due_date: '2026-12-24' })
    await root.post(issues, { title: 'Hidden', milestone_id: milestone.id, confidential: true })
    const { db, now } = here.ctx()
    const id = ci.pipeline()
    db.exec('UPDATE ci_pipelines SET sha = ? WHERE id = ?', sha, id)
    const tested = ci.job(id, { name: 'test', status: 'success' })
    ci.job(id, { name: 'plain', status: 'success' })
    db.exec('UPDATE ci_jobs SET artifacts_expire_at = ? WHERE id = ?', '2026-12-01T00:00:00.000Z', tested.id)
    db.exec(
      `INSERT INTO ci_artifacts (job_id, project_id, stored_as, file_type, file_format, filename, size, sha256, accessibility, created_at)
       VALUES (?, ?, 'x', 'junit', 'gzip', 'j.xml.gz', 1, 'x', 'public', ?)`,
      tested.id,
      project.id,
      now,
    )
    await root.post(at, { tag_name: 'seen', ref: 'main', milestones: 'm', description: 'd' })
    await here.drain()
    const release = (await as(developer).get(`${at}/seen`)).body
    const [evidence] = release.evidences
    expect(release.assets.evidence_file_path).toBe(evidence.filepath)
    const file = await as(developer).get(`!${evidence.filepath.slice(here.url.length)}`)
    expect(createHash('sha256').update(file.text).digest('hex')).toBe(evidence.sha)
    expect(file.body).toEqual({
      release: {
        id: expect.any(Number),
        tag_name: 'seen',
        name: 'seen',
        description: 'd',
        created_at: '2026-11-22 09:00:05 UTC',
        project: {
          id: project.id,
          name: project.name,
          description: 'About tides',
          created_at: '2026-11-22 09:00:00 UTC',
        },
        milestones: [
          {
            id: milestone.id,
            title: 'm',
            description: null,
            state: 'active',
            iid: 1,
            created_at: '2026-11-22 09:00:05 UTC',
            due_date: null,
            issues: [
              {
                id: expect.any(Number),
                title: 'Seen',
                description: null,
                author: { id: 1, name: expect.any(String), email: null },
                state: 'opened',
                iid: 1,
                confidential: false,
                created_at: '2026-11-22 09:00:05 UTC',
                due_date: '2026-12-24 00:00:00 UTC',
              },
            ],
          },
        ],
        report_artifacts: [
          { url: `${here.url}/${project.path_with_namespace}/-/jobs/${tested.id}/artifacts/download` },
        ],
      },
    })
    expect(db.one('SELECT artifacts_expire_at FROM ci_jobs WHERE id = ?', tested.id)).toEqual({
      artifacts_expire_at: null,
    })
  })

  it('is collected at the release date, not for past dates, and on request', async () => {
    const collected = watchEvents(here, 'release.evidence_collected')
    const count = async (tag: string) => (await root.get(`${at}/${tag}`)).body.evidences.length
    await root.post(at, { tag_name: 'old', ref: 'main', released_at: '2020-01-01' })
    await root.post(at, { tag_name: 'soon', ref: 'main', released_at: '2026-12-01T00:00:00Z' })
    await root.post(at, { tag_name: 'later', ref: 'main', released_at: '2026-12-01T00:00:00Z' })
    await root.put(`${at}/later`, { released_at: '2026-12-03T00:00:00Z' })
    await here.drain()
    expect([await count('old'), await count('soon'), await count('later')]).toEqual([0, 0, 0])
    clock.advance(9 * 86_400_000)
    await here.drain()
    expect([await count('old'), await count('soon'), await count('later')]).toEqual([0, 1, 0])
    clock.advance(2 * 86_400_000)
    await here.drain()
    expect([await count('soon'), await count('later')]).toEqual([1, 1])
    const answer = await as(developer).post(`${at}/old/evidence`)
    expect([answer.status, answer.text]).toEqual([202, ''])
    await here.drain()
    expect(await count('old')).toBe(1)
    expect(collected.map((event) => event['tag'])).toEqual(['soon', 'later', 'old'])
    expect((await as(developer).post(`${at}/none/evidence`)).status).toBe(404)
    expect((await as(guest).post(`${at}/old/evidence`)).status).toBe(403)
  })
})

describe('a CI job token', () => {
  it('manages releases in the name of the user who started the job', async () => {
    const { token } = ci.job(ci.pipeline())
    const client = {
      get: (rest: string) => as(null).get(`${at}${rest}`, { 'job-token': token }),
      post: (rest: string, body: object) => as(null).post(`${at}${rest}`, body, { 'job-token': token }),
      put: (rest: string, body: object) => as(null).put(`${at}${rest}`, body, { 'job-token': token }),
      drop: (rest: string) => as(null).delete(`${at}${rest}`, undefined, { 'job-token': token }),
    }
    const made = await client.post('', { tag_name: 'job-1', ref: 'main' })
    expect([made.status, made.body.author.username]).toEqual([201, 'developer'])
    expect((await client.get('')).body[0].tag_name).toBe('job-1')
    expect((await client.get('/job-1')).status).toBe(200)
    expect((await client.put('/job-1', { name: 'n' })).body.name).toBe('n')
    const link = { name: 'l', url: 'https://l.test', filepath: '/l' }
    const added = await client.post('/job-1/assets/links', link)
    const linkPath = `/job-1/assets/links/${added.body.id}`
    expect((await client.get('/job-1/assets/links')).body).toHaveLength(1)
    expect((await client.put(linkPath, { name: 'm' })).body.name).toBe('m')
    expect((await client.get('/job-1/downloads/l')).status).toBe(302)
    expect((await client.get('/permalink/latest')).status).toBe(302)
    expect((await client.get(linkPath)).status).toBe(200)
    expect((await client.drop(linkPath)).status).toBe(200)
    expect((await client.post('/job-1/evidence', {})).status).toBe(202)
    expect((await client.drop('/job-1')).status).toBe(200)
    here.ctx().db.exec("UPDATE ci_jobs SET status = 'success' WHERE project_id = ?", project.id)
    expect((await client.get('')).status).toBe(401)
  })
})
