import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'

const here = await world()
const root = here.as(here.root)
const at = '/-/workbench/worlds'
const yaml = { 'content-type': 'application/yaml' }
const apply = (text: string) => root.post(at, text, yaml)
const shop = '/projects/lantern%2Fshop'
const get = async (path: string) => (await root.get(path)).body

interface Count {
  kind: string
  made: number
  kept: number
}

const outcome = await root.post(at, { shipped: 'small-team' })

describe('an applied world', () => {
  it('reports the created objects', () => {
    expect(outcome).toMatchObject({ status: 201, body: { dry_run: false, title: 'A small team' } })
    const counts = Object.fromEntries(outcome.body.counts.map((entry: Count) => [entry.kind, entry.made]))
    expect(counts).toMatchObject({
      users: 5,
      groups: 1,
      projects: 2,
      issues: 6,
      merge_requests: 3,
      pipelines: 3,
    })
  })

  it('has users who sign in with the tokens in its text', async () => {
    const anna = here.as({ id: 0, username: 'anna', token: 'world-anna-token', password: '' })
    expect((await anna.get('/user')).body).toMatchObject({ username: 'anna', name: 'Anna Kowalska' })
    const members = await get('/groups/lantern/members')
    expect(members.find((member: { username: string }) => member.username === 'anna').access_level).toBe(50)
    const stored = readFileSync(`${here.dataDir}/deskforge.db`).includes('world-anna-token')
    expect(stored).toBe(false)
  })

  it('has code with its history, authors and times', async () => {
    const commits = await get(`${shop}/repository/commits?per_page=100`)
    expect(commits.map((commit: { title: string }) => commit.title)).toContain(
      'Deploy: one script for staging and production',
    )
    const first = commits.at(-1)
    expect(first).toMatchObject({ title: 'Initial commit', author_name: 'Anna Kowalska' })
    expect(Date.now() - Date.parse(first.created_at)).toBeGreaterThan(59 * 86_400_000)
    expect(await get(`${shop}/repository/files/deploy.sh/raw?ref=main`)).toContain('rsync')
    expect((await get(`${shop}/repository/tags`))[0]).toMatchObject({ name: 'v1.2.0', message: 'Shop 1.2.0' })
  })

  it('has merge requests in every state, with reviews', async () => {
    const all = (await get(`${shop}/merge_requests?state=all`)).sort(
      (a: { iid: number }, b: { iid: number }) => a.iid - b.iid,
    )
    expect(all.map((request: { state: string }) => request.state)).toEqual(['merged', 'opened', 'closed'])
    expect(all[0]).toMatchObject({
      author: { username: 'chloe' },
      merged_by: { username: 'anna' },
      milestone: { title: 'Spring sale' },
    })
    const { approved_by } = await get(`${shop}/merge_requests/1/approvals`)
    expect(
      approved_by.map((approval: { user: { username: string } }) => approval.user.username).sort(),
    ).toEqual(['anna', 'dev'])
    const threads = await get(`${shop}/merge_requests/1/discussions`)
    const review = threads.find(
      (thread: { notes: { type: string }[] }) => thread.notes[0]!.type === 'DiffNote',
    )
    expect(review.notes).toHaveLength(2)
    expect(review.notes[0]).toMatchObject({
      resolved: true,
      position: { new_path: 'src/voucher.js', new_line: 4 },
    })
    expect((await root.get(`${shop}/repository/branches/vouchers`)).status).toBe(404)
  })

  it('has issues, labels, milestones and notes', async () => {
    const issues = await get(`${shop}/issues?state=all&search=Totals`)
    expect(issues).toHaveLength(1)
    expect(issues[0]).toMatchObject({
      author: { username: 'eva' },
      labels: ['bug', 'customer'],
      assignees: [{ username: 'chloe' }],
    })
    expect(await get(`${shop}/issues/${issues[0].iid}/notes?activity_filter=only_comments`)).toBeInstanceOf(
      Array,
    )
    expect(await get(`${shop}/issues?state=closed`)).toHaveLength(2)
    expect(await get(`${shop}/issues?confidential=true&state=all`)).toHaveLength(1)
  })

  it('has its activity at the times of its text, newest first', async () => {
    const events = await get(`${shop}/events?per_page=100`)
    const times = events.map((event: { created_at: string }) => event.created_at)
    expect(times).toEqual(times.toSorted().reverse())
    const opened = events.filter(
      (event: { action_name: string; target_type: string }) =>
        event.action_name === 'opened' && event.target_type === 'Issue',
    )
    const issues = await get(`${shop}/issues?scope=all&per_page=100`)
    const timesOf = new Map(
      issues.map((issue: { iid: number; created_at: string }) => [issue.iid, issue.created_at]),
    )
    expect(opened).toHaveLength(issues.length)
    for (const { target_iid, created_at } of opened) expect(created_at).toBe(timesOf.get(target_iid))
  })

  it('has pipelines with results and logs, and no others', async () => {
    const pipelines = await get(`${shop}/pipelines`)
    expect(pipelines).toHaveLength(3)
    const failed = pipelines.find((pipeline: { ref: string }) => pipeline.ref === 'rate-limit')
    expect(failed.status).toBe('failed')
    const jobs = await get(`${shop}/pipelines/${failed.id}/jobs`)
    const unit = jobs.find((job: { name: string }) => job.name === 'unit')
    expect(unit).toMatchObject({ status: 'failed', duration: 17, failure_reason: 'script_failure' })
    expect(await get(`${shop}/jobs/${unit.id}/trace`)).toContain('200 !== 429')
  })

  it('has releases, environments, deployments, hooks, runners, variables and a wiki', async () => {
    expect((await get(`${shop}/releases`))[0]).toMatchObject({
      tag_name: 'v1.2.0',
      author: { username: 'anna' },
      assets: { links: [{ name: 'Container image' }] },
    })
    const environments = await get(`${shop}/environments`)
    expect(environments.map((environment: { name: string }) => environment.name).sort()).toEqual([
      'production',
      'staging',
    ])
    expect((await get(`${shop}/deployments?environment=production&status=success`))[0]).toMatchObject({
      status: 'success',
      ref: 'v1.2.0',
    })
    expect((await get(`${shop}/hooks`))[0]).toMatchObject({
      url: 'https://chat.lantern.example/hooks/shop',
      pipeline_events: true,
      issues_events: false,
    })
    expect((await get(`${shop}/runners?type=project_type`))[0]).toMatchObject({
      description: 'Build machine in the cellar',
    })
    expect((await get(`${shop}/variables/SHOP_CURRENCY`)).value).toBe('EUR')
    expect((await get(`${shop}/wikis`))[0]).toMatchObject({ title: 'On call' })
    expect((await get(shop)).star_count).toBe(4)
  })

  it('changes nothing when it is applied again', async () => {
    const before = await get(`${shop}/events?per_page=100`)
    const again = await root.post(at, { shipped: 'small-team' })
    expect(again.status).toBe(201)
    expect(again.body.counts.filter((entry: Count) => entry.made > 0)).toEqual([])
    expect(await get(`${shop}/events?per_page=100`)).toEqual(before)
  })

  it('enables pipelines that an interrupted apply left disabled', async () => {
    expect((await root.put(shop, { builds_access_level: 'disabled' })).status).toBe(200)
    expect(await root.post(at, { shipped: 'small-team' })).toMatchObject({ status: 201 })
    expect((await get(shop)).builds_access_level).toBe('enabled')
  })
})

describe('the shipped worlds', () => {
  it('are listed and readable', async () => {
    const list = await get(`${at}/shipped`)
    expect(list.map((shipped: { name: string }) => shipped.name)).toEqual([
      'small-team',
      'open-source',
      'monorepo',
      'thousand-projects',
    ])
    for (const { name } of list) expect(await get(`${at}/shipped/${name}`)).toContain('title: ')
    expect((await root.get(`${at}/shipped/..%2fx`)).status).toBe(404)
  })

  it.each(['open-source', 'monorepo', 'thousand-projects'])('%s has no mistake', async (shipped) => {
    expect(await root.post(`${at}?dry_run=true`, { shipped })).toMatchObject({
      status: 201,
      body: { dry_run: true },
    })
  })

  it('open-source is applied, and again without a change', async () => {
    expect((await root.post(at, { shipped: 'open-source' })).status).toBe(201)
    const again = await root.post(at, { shipped: 'open-source' })
    expect(again.body.counts.filter((entry: Count) => entry.made > 0)).toEqual([])
    expect(await get('/projects/tidepool%2Fgauge/releases')).toHaveLength(3)
  })
})

describe('the endpoints', () => {
  it('accept JSON and YAML, and can check a world without applying it', async () => {
    const text = 'groups:\n  - path: made-by-yaml\n'
    expect((await root.post(`${at}?dry_run=true`, text, yaml)).body).toMatchObject({
      dry_run: true,
      counts: [{ kind: 'groups', made: 1 }],
    })
    expect((await root.get('/groups/made-by-yaml')).status).toBe(404)
    expect((await apply(text)).status).toBe(201)
    expect((await root.post(at, { groups: [{ path: 'made-by-json' }] })).status).toBe(201)
    expect((await root.post(at, { content: 'groups: [{ path: made-by-content }]' })).status).toBe(201)
    for (const path of ['made-by-yaml', 'made-by-json', 'made-by-content'])
      expect((await root.get(`/groups/${path}`)).status).toBe(200)
  })

  it('are limited to administrators', async () => {
    const other = here.as(here.make.user())
    for (const answer of [
      await other.post(at, 'groups: []', yaml),
      await other.get(`${at}/shipped`),
      await other.get(`${at}/schema`),
    ])
      expect(answer.status).toBe(403)
  })

  it('serve the schema that editors use', async () => {
    const { text } = await root.get(`${at}/schema`)
    expect(`${text}\n`).toBe(readFileSync('server/domains/workbench/worlds/data/world.gen.json', 'utf8'))
    expect(JSON.parse(text)).toMatchObject({ type: 'object', additionalProperties: false })
  })
})

describe('repeat', () => {
  it('creates entries with their numbers', async () => {
    expect((await apply('groups:\n  - { repeat: 3, path: "r{n:2}", name: "{n|One,Two}" }\n')).status).toBe(
      201,
    )
    expect((await get('/groups/r03')).name).toBe('One')
    expect((await get('/groups/r02')).name).toBe('Two')
  })
})

describe('a half-applied world', () => {
  it('reports the finished steps, and is completed by the next apply', async () => {
    const text = (job: string) => `groups:
  - path: half
projects:
  - path: half/one
    files:
      .gitlab-ci.yml: |
        build: { script: make }
    pipelines:
      - ref: main
        jobs: { ${job}: { status: failed } }
    issues:
      - title: It stays
  - path: half/two
`
    const broken = await apply(text('biuld'))
    expect(broken).toMatchObject({ status: 422, body: { errors: [{ line: 9, column: 9 }] } })
    expect(broken.body.message).toContain('no job "biuld"; its jobs are build')
    expect(broken.body.done).toContainEqual({ kind: 'issues', made: 1, kept: 0 })
    expect((await apply(text('build'))).status).toBe(201)
    expect((await root.get('/projects/half%2Ftwo')).status).toBe(200)
    expect(await get('/projects/half%2Fone/issues')).toHaveLength(1)
    expect(
      (await get('/projects/half%2Fone/pipelines')).map((pipeline: { status: string }) => pipeline.status),
    ).toEqual(['failed'])
  })
})
