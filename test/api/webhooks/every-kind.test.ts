import { describe, expect, it } from 'vitest'

import { FLAGS, KINDS, type Kind } from '../../../server/domains/webhooks/index.ts'
import { EVENTS } from '../../../server/domains/webhooks/hooks/hook.ts'
import { frozenClock } from '../../../server/lib/clock.ts'
import { shell } from '../../support/git.ts'
import { world } from '../../support/world.ts'
import { addressOf, commit, git, local } from '../../git-http/remote.ts'
import { makeRunner, run } from '../ci/run-job.ts'
import { receiver, type Received } from './receiver.ts'

// One receiver gets the requests of the webhooks of a project, its group and the instance. They have all event flags.

const clock = frozenClock('2026-11-22T08:00:00.000Z')
const here = await world({ clock })
const root = here.as(here.root)
await root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
const there = await receiver()

/** Sends a request that must succeed. */
async function ask(method: 'post' | 'put' | 'delete', path: string, body?: object) {
  const answer = await root[method](path, body)
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
  return answer.body
}

const hookAt = async (kind: keyof typeof EVENTS, path: string): Promise<void> => {
  const flags = Object.fromEntries(EVENTS[kind].map((flag) => [flag, true]))
  await ask('post', path, { url: `${there.url}/${kind}`, token: `secret of the ${kind}`, ...flags })
}

/** Returns the kinds of events that webhooks of a project or a group can receive. */
const kindsOf = (kind: 'project' | 'group'): Kind[] =>
  KINDS.filter((item) => (EVENTS[kind] as readonly string[]).includes(FLAGS[item] ?? ''))

const headerOf = (kind: Kind): string =>
  `${kind.replace(/(^|_)([a-z])/g, (_, start: string, letter: string) => (start ? ' ' : '') + letter.toUpperCase())} Hook`

async function story(): Promise<void> {
  await hookAt('system', '/hooks')
  const group = await here.make.group()
  const project = await here.make.project({ namespace_id: group.id })
  await hookAt('group', `/groups/${group.id}/hooks`)
  const at = `/projects/${project.id}`
  await hookAt('project', `${at}/hooks`)
  await here.drain()

  const folder = local()
  commit(folder, '.gitlab-ci.yml', 'ship: { script: make ship, environment: production }\n')
  shell(folder, ['tag', '-a', 'v1', '-m', 'The first'])
  shell(folder, ['checkout', '-q', '-b', 'topic'])
  commit(folder, 'topic.txt', 'about something\n')
  const pushed = await git(folder, 'push', '-q', addressOf(here)(project, here.root), 'main', 'v1', 'topic')
  expect(pushed.code, pushed.stderr).toBe(0)
  await here.drain()
  const runner = makeRunner(here)
  for (const { id } of (await root.get(`${at}/jobs`)).body) run(here, id, runner)

  const issue = await ask('post', `${at}/issues`, { title: 'Broken' })
  await ask('post', `${at}/issues/${issue.iid}/notes`, { body: 'Why?' })
  await ask('post', `${at}/issues/${issue.iid}/notes`, { body: 'Among us', internal: true })
  await ask('post', `${at}/issues/${issue.iid}/award_emoji`, { name: 'rocket' })
  await ask('post', `${at}/issues`, { title: 'Hole', confidential: true })
  const request = { source_branch: 'topic', target_branch: 'main', title: 'Topic' }
  await ask('post', `${at}/merge_requests`, request)
  await ask('post', `${at}/releases`, { tag_name: 'v1', name: 'One' })
  await ask('post', `${at}/feature_flags`, { name: 'dark', version: 'new_version_flag', active: false })
  await ask('put', `${at}/feature_flags/dark`, { active: true })
  await ask('post', `${at}/wikis`, { title: 'home', content: 'Welcome' })
  const user = here.make.user()
  await here.make.member('groups', group.id, user, 30)
  await here.make.group({ parent_id: group.id })
  const token = { name: 'robot', scopes: ['api'], access_level: 30, expires_at: '2026-11-28' }
  await ask('post', `${at}/access_tokens`, token)
  await here.drain()
  clock.advance(86_400_000)
  await here.drain()
  await ask('delete', `/users/${user.id}`)
  await ask('put', at, { path: 'renamed' })
  await here.drain()
}

await story()

const receivedAt = (path: string) =>
  there.requests
    .filter((request) => request.path === path)
    .map((request: Received) => ({
      event: request.headers['x-gitlab-event'] as string,
      headers: request.headers,
      body: JSON.parse(request.body),
    }))

/** The kind in the payload, if it differs from the kind of event. */
const NAMES: Partial<Record<Kind, string>> = {
  confidential_issue: 'issue',
  confidential_note: 'note',
  job: 'build',
  resource_access_token: 'access_token',
  member: 'user_add_to_group',
  subgroup: 'subgroup_create',
}

describe.each(['project', 'group'] as const)('the webhook of a %s', (kind) => {
  it('gets every kind of event, with its header and body', () => {
    const requests = receivedAt(`/${kind}`)
    expect([...new Set(requests.map((request) => request.event))].sort()).toEqual(
      kindsOf(kind).map(headerOf).sort(),
    )
    const sentKinds = kindsOf(kind).map((kind) => {
      const { body } = requests.find(({ event }) => event === headerOf(kind))!
      return [kind, body.object_kind ?? body.event_name]
    })
    expect(sentKinds).toEqual(kindsOf(kind).map((kind) => [kind, NAMES[kind] ?? kind]))
  })
})

describe('the webhook of the instance', () => {
  it('gets events of the instance and of code', () => {
    const requests = receivedAt('/system')
    expect(new Set(requests.map((request) => request.event))).toEqual(new Set(['System Hook']))
    const names = new Set(requests.map(({ body }) => body.event_name ?? body.object_kind))
    expect([...names].sort()).toEqual(
      [
        'group_create',
        'merge_request',
        'project_create',
        'project_rename',
        'push',
        'repository_update',
        'tag_push',
        'user_add_to_group',
        'user_add_to_team',
        'user_create',
        'user_destroy',
      ].sort(),
    )
  })
})

describe('every request', () => {
  it('carries the token of its webhook and the headers of the contract', () => {
    expect(there.requests.length).toBeGreaterThan(50)
    for (const { method, path, headers } of there.requests) {
      expect([method, headers['content-type'], headers['x-gitlab-instance']]).toEqual([
        'POST',
        'application/json',
        here.url,
      ])
      expect(headers['x-gitlab-token']).toBe(`secret of the ${path.slice(1)}`)
      expect(headers['x-gitlab-event-uuid']).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  it('carries the UUID of the request that caused it', () => {
    const ofPush = there.requests.filter(({ body }) => JSON.parse(body).ref === 'refs/heads/topic')
    expect(ofPush.map((request) => request.path).sort()).toEqual(['/group', '/project', '/system'])
    expect(new Set(ofPush.map((request) => request.headers['x-gitlab-event-uuid'])).size).toBe(1)
  })

  it('about a push has its commits, except for system hooks', () => {
    const ofPush = there.requests.filter(({ body }) => JSON.parse(body).ref === 'refs/heads/topic')
    const commits = Object.fromEntries(
      ofPush.map(({ path, body }) => [path, JSON.parse(body).commits.length]),
    )
    expect(commits).toEqual({ '/project': expect.any(Number), '/group': commits['/project'], '/system': 0 })
    expect(commits['/project']).toBeGreaterThan(0)
  })
})
