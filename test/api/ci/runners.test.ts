import { describe, expect, it } from 'vitest'

import { heldRequests } from '../../../server/domains/ci/runner_protocol/queue.ts'
import { onBehalfOf } from '../../../server/domains/planning/index.ts'
import { frozenClock } from '../../../server/lib/clock.ts'
import { mayReceive } from '../../../server/domains.ts'
import { world, type Client } from '../../support/world.ts'

const clock = frozenClock('2026-05-10T12:00:00.000Z')
const here = await world({ clock })
const root = here.as(here.root)
const nobody = here.as(null)
const [owner, maintainer, developer, other] = [1, 2, 3, 4].map(() => here.make.user())
const group = await here.make.group({ owner })
const below = await here.make.group({ owner, parent_id: group.id })
const project = await here.make.project({ owner, namespace_id: below.id })
const second = await here.make.project({ owner })
await here.make.member('projects', project.id, maintainer!, 40)
await here.make.member('projects', project.id, developer!, 30)
const [asOwner, asMaintainer, asDeveloper, asOther] = [owner, maintainer, developer, other].map((user) =>
  here.as(user!),
)

interface CreatedRunner {
  id: number
  token: string
}
const make = async (params: object): Promise<CreatedRunner> => (await root.post('/user/runners', params)).body
const forAll = await make({ runner_type: 'instance_type', description: 'all', tag_list: 'docker,linux' })
const forGroup = await make({ runner_type: 'group_type', group_id: group.id, description: 'group' })
const forProject = await make({
  runner_type: 'project_type',
  project_id: project.id,
  description: 'project',
  tag_list: ['docker'],
})
const forSecond = await make({
  runner_type: 'project_type',
  project_id: second.id,
  description: 'second',
  paused: true,
})

const idsOf = async (who: Client, path: string): Promise<number[]> => {
  const { status, body } = await who.get(path)
  if (status !== 200) throw new Error(`${status} ${path}`)
  return body.map((record: CreatedRunner) => record.id)
}
const answerOf = async (answer: ReturnType<Client['get']>) => {
  const { status, body } = await answer
  return [status, body.message ?? body.error ?? body]
}
const NO_ACCESS = [403, '403 Forbidden - No access granted']
const GONE = [404, '404 Runner Not Found']

describe('lists of runners', () => {
  it('include the runners that a user maintains, and all runners for administrators', async () => {
    expect(await idsOf(asMaintainer!, '/runners')).toEqual([forProject.id])
    expect(await idsOf(asOwner!, '/runners')).toEqual([forSecond.id, forProject.id, forGroup.id])
    expect(await idsOf(asDeveloper!, '/runners')).toEqual([])
    expect(await idsOf(asOther!, '/runners')).toEqual([])
    expect((await nobody.get('/runners')).status).toBe(401)
    const all = await root.get('/runners/all?per_page=3')
    expect(all.body.map((runner: CreatedRunner) => runner.id)).toEqual([
      forSecond.id,
      forProject.id,
      forGroup.id,
    ])
    expect([all.headers.get('x-total'), all.headers.get('x-next-page')]).toEqual(['4', '2'])
    expect(all.body[1]).toEqual({
      id: forProject.id,
      description: 'project',
      ip_address: null,
      active: true,
      paused: false,
      is_shared: false,
      runner_type: 'project_type',
      name: null,
      online: null,
      status: 'never_contacted',
    })
    expect(await answerOf(asOwner!.get('/runners/all'))).toEqual([403, '403 Forbidden'])
    expect((await nobody.get('/runners/all')).status).toBe(401)
  })

  it('of projects and groups include the runners that are available to them', async () => {
    const at = `/projects/${project.id}/runners`
    expect(await idsOf(asMaintainer!, at)).toEqual([forProject.id, forGroup.id, forAll.id])
    await asOwner!.put(`/projects/${project.id}`, { shared_runners_enabled: false })
    expect(await idsOf(asMaintainer!, at)).toEqual([forProject.id, forGroup.id])
    await asOwner!.put(`/projects/${project.id}`, {
      shared_runners_enabled: true,
      group_runners_enabled: false,
    })
    expect(await idsOf(asMaintainer!, at)).toEqual([forProject.id, forAll.id])
    await asOwner!.put(`/projects/${project.id}`, { group_runners_enabled: true })
    expect(await answerOf(asDeveloper!.get(at))).toEqual([403, '403 Forbidden'])
    expect((await asOther!.get(at)).status).toBe(404)
    const ofGroup = `/groups/${below.id}/runners`
    expect(await idsOf(asOwner!, ofGroup)).toEqual([forGroup.id, forAll.id])
    expect(await idsOf(asOwner!, `${ofGroup}?type=group_type`)).toEqual([forGroup.id])
    expect((await asMaintainer!.get(ofGroup)).status).toBe(403)
    expect((await asOther!.get(ofGroup)).status).toBe(404)
  })

  it('filter by type, tags, paused state and version', async () => {
    const all = (query: string) => idsOf(root, `/runners/all?${query}`)
    expect(await all('type=project_type')).toEqual([forSecond.id, forProject.id])
    expect(await all('scope=shared')).toEqual([forAll.id])
    expect(await all('scope=specific')).toEqual([forSecond.id, forProject.id, forGroup.id])
    expect(await all('scope=group_type')).toEqual([forGroup.id])
    expect(await all('scope=paused')).toEqual([forSecond.id])
    expect(await all('status=paused')).toEqual([forSecond.id])
    expect(await all('status=active&type=group_type')).toEqual([forGroup.id])
    expect(await all('paused=true')).toEqual([forSecond.id])
    expect(await all('paused=false&type=instance_type')).toEqual([forAll.id])
    expect(await all('tag_list=docker')).toEqual([forProject.id, forAll.id])
    expect(await all('tag_list=docker,linux')).toEqual([forAll.id])
    expect(await all('tag_list[]=docker&tag_list[]=none')).toEqual([])
    await nobody.post('/runners/verify', { token: forAll.token, info: { version: '15.11.0' } })
    expect(await all('version_prefix=15.')).toEqual([forAll.id])
    expect(await all('version_prefix=5.')).toEqual([])
    for (const [path, error] of [
      ['/runners?scope=shared', 'scope does not have a valid value'],
      ['/runners/all?scope=x', 'scope does not have a valid value'],
      ['/runners?status=x', 'status does not have a valid value'],
      ['/runners?type=x', 'type does not have a valid value'],
      ['/runners?paused=x', 'paused is invalid'],
    ] as const)
      expect((await root.get(path)).body).toEqual({ error })
  })

  it('show the status of runners as time passes', async () => {
    const before = clock.now()
    const runner = await make({ runner_type: 'instance_type' })
    const state = async (paused?: boolean) => {
      if (paused !== undefined) await root.put(`/runners/${runner.id}`, { paused })
      const { status, online, contacted_at } = (await root.get(`/runners/${runner.id}`)).body
      const found = []
      for (const word of ['online', 'offline', 'stale', 'never_contacted'])
        if ((await idsOf(root, `/runners/all?status=${word}`)).includes(runner.id)) found.push(word)
      return { status, online, contacted_at, found: found.join() }
    }
    expect(await state()).toEqual({
      status: 'never_contacted',
      online: null,
      contacted_at: null,
      found: 'never_contacted',
    })
    await nobody.post('/jobs/request', { token: runner.token })
    const contacted_at = '2026-05-10T12:00:00.000Z'
    expect(await state()).toEqual({ status: 'online', online: true, contacted_at, found: 'online' })
    expect((await state(true)).status).toBe('paused')
    clock.advance(2 * 3_600_000)
    expect(await state()).toEqual({ status: 'paused', online: false, contacted_at, found: 'offline' })
    expect(await state(false)).toMatchObject({ status: 'offline', online: false })
    clock.advance(92 * 86_400_000)
    expect(await state(true)).toEqual({
      status: 'stale',
      online: false,
      contacted_at,
      found: 'offline,stale',
    })
    expect((await root.get(`/runners/${forGroup.id}`)).body.status).toBe('stale')
    await nobody.post('/jobs/request', { token: runner.token })
    expect((await state(false)).status).toBe('online')
    expect(await answerOf(root.delete(`/runners/${runner.id}`))).toEqual([204, ''])
    clock.advance(before - clock.now())
  })
})

describe('one runner', () => {
  it('is visible to its maintainers, and an instance runner to every user', async () => {
    expect((await asOther!.get(`/runners/${forAll.id}`)).body).toMatchObject({
      id: forAll.id,
      tag_list: ['docker', 'linux'],
    })
    expect((await asOther!.get(`/runners/${forAll.id}`)).body.projects).toEqual([])
    expect((await nobody.get(`/runners/${forAll.id}`)).status).toBe(401)
    const shown = (await asMaintainer!.get(`/runners/${forProject.id}`)).body
    expect(shown.groups).toEqual([])
    expect(shown.projects).toEqual([
      {
        id: project.id,
        description: null,
        name: project.name,
        name_with_namespace: project.name_with_namespace,
        path: project.path,
        path_with_namespace: project.path_with_namespace,
        created_at: project.created_at,
      },
    ])
    expect((await asOwner!.get(`/runners/${forGroup.id}`)).body.groups).toEqual([
      { id: group.id, web_url: group.web_url, name: group.name },
    ])
    for (const path of ['', '/managers', '/jobs']) {
      for (const [who, id] of [
        [asDeveloper!, forProject.id],
        [asOther!, forProject.id],
        [asMaintainer!, forGroup.id],
        [asMaintainer!, forSecond.id],
      ] as const)
        expect(await answerOf(who.get(`/runners/${id}${path}`))).toEqual(NO_ACCESS)
      expect(await answerOf(root.get(`/runners/999999${path}`))).toEqual(GONE)
    }
    // Users see only those projects of a runner that they can read.
    await root.post(`/projects/${second.id}/runners`, { runner_id: forProject.id })
    const ids = (body: { projects: CreatedRunner[] }) => body.projects.map((project) => project.id)
    expect(ids((await asMaintainer!.get(`/runners/${forProject.id}`)).body)).toEqual([project.id])
    expect(ids((await asOwner!.get(`/runners/${forProject.id}`)).body)).toEqual([project.id, second.id])
    expect(await answerOf(asMaintainer!.delete(`/runners/${forProject.id}`))).toEqual([
      403,
      '403 Forbidden - Runner associated with more than one project',
    ])
    expect((await asOwner!.delete(`/projects/${second.id}/runners/${forProject.id}`)).status).toBe(204)
  })

  it('can be changed by its maintainers', async () => {
    const at = `/runners/${forProject.id}`
    const changes = {
      description: 'changed',
      maintenance_note: 'new disk',
      paused: true,
      locked: true,
      run_untagged: false,
      access_level: 'ref_protected',
      tag_list: ['x', 'y'],
      maximum_timeout: 3600,
    }
    const changed = await asMaintainer!.put(at, changes)
    expect([changed.status, changed.body]).toMatchObject([
      200,
      { ...changes, id: forProject.id, active: false, status: 'never_contacted' },
    ])
    expect((await asMaintainer!.get(at)).body).toEqual(changed.body)
    const cleared = { description: null, maintenance_note: null, maximum_timeout: null }
    expect((await asMaintainer!.put(at, { ...cleared, active: true })).body).toMatchObject({
      ...cleared,
      paused: false,
      tag_list: ['x', 'y'],
    })
    expect((await root.put(at, { tag_list: 'p, q', locked: false })).body.tag_list).toEqual(['p', 'q'])
    const refusal = (params: object) => answerOf(asMaintainer!.put(at, params))
    expect(await refusal({})).toEqual([
      400,
      'description, maintenance_note, paused, locked, run_untagged, access_level, tag_list, maximum_timeout, active are missing, at least one parameter must be provided',
    ])
    expect(await refusal({ paused: true, active: false })).toEqual([
      400,
      'active, paused are mutually exclusive',
    ])
    expect(await refusal({ tag_list: [] })).toEqual([
      400,
      { tags_list: ['can not be empty when runner is not allowed to pick untagged jobs'] },
    ])
    expect(await refusal({ maximum_timeout: 10 })).toEqual([
      400,
      { maximum_timeout: ['needs to be at least 10 minutes'] },
    ])
    expect(await refusal({ access_level: 'x' })).toEqual([400, 'access_level does not have a valid value'])
    for (const [who, id] of [
      [asDeveloper!, forProject.id],
      [asMaintainer!, forGroup.id],
      [asOwner!, forAll.id],
      [asOther!, forAll.id],
    ] as const) {
      expect(await answerOf(who.put(`/runners/${id}`, { paused: true }))).toEqual(NO_ACCESS)
      expect(await answerOf(who.delete(`/runners/${id}`))).toEqual(NO_ACCESS)
    }
    expect((await asOwner!.put(`/runners/${forGroup.id}`, { description: 'ours' })).status).toBe(200)
    expect(await answerOf(root.put('/runners/999999', { paused: true }))).toEqual(GONE)
    expect(await answerOf(root.delete('/runners/999999'))).toEqual(GONE)
    expect((await nobody.put(at, { paused: true })).status).toBe(401)
    await root.put(at, { run_untagged: true, tag_list: 'docker', access_level: 'not_protected' })
  })

  it('can be enabled for further projects unless it is locked', async () => {
    const at = `/projects/${second.id}/runners`
    const add = (who: Client, runner_id: unknown) => answerOf(who.post(at, { runner_id }))
    expect(await add(root, forGroup.id)).toEqual([403, '403 Forbidden - Runner is a group runner'])
    expect(await add(asOwner!, forAll.id)).toEqual(NO_ACCESS)
    expect((await add(root, forAll.id))[0]).toBe(400)
    expect(await add(root, 999_999)).toEqual(GONE)
    expect(await add(root, undefined)).toEqual([400, 'runner_id is missing'])
    expect(await add(root, 'x')).toEqual([400, 'runner_id is invalid'])
    await here.make.member('projects', second.id, maintainer!, 40)
    await here.make.member('projects', second.id, developer!, 40)
    await root.put(`/runners/${forProject.id}`, { locked: true })
    expect(await add(asMaintainer!, forProject.id)).toEqual([403, '403 Forbidden - Runner is locked'])
    await root.put(`/runners/${forProject.id}`, { locked: false })
    expect(await add(asDeveloper!, forProject.id)).toEqual(NO_ACCESS)
    const added = await asMaintainer!.post(at, { runner_id: forProject.id })
    expect([added.status, added.body]).toMatchObject([
      201,
      { id: forProject.id, runner_type: 'project_type' },
    ])
    expect(await add(asMaintainer!, forProject.id)).toEqual([
      400,
      { assign_to: ['Validation failed: Runner has already been taken'] },
    ])
    expect(await idsOf(asMaintainer!, `${at}?type=project_type`)).toEqual([forSecond.id, forProject.id])
    expect(await answerOf(asMaintainer!.delete(`${at}/${forGroup.id}`))).toEqual(GONE)
    expect(await answerOf(asOther!.delete(`${at}/${forProject.id}`))).toEqual([404, '404 Project Not Found'])
    expect((await asMaintainer!.delete(`${at}/${forProject.id}`)).status).toBe(204)
    expect(await answerOf(asMaintainer!.delete(`${at}/${forProject.id}`))).toEqual(GONE)
    expect(await answerOf(asMaintainer!.delete(`/projects/${project.id}/runners/${forProject.id}`))).toEqual([
      403,
      '403 Forbidden - Only one project associated with the runner. Please remove the runner instead',
    ])
  })

  it('publishes events of a runner to its administrators', async () => {
    const received: unknown[] = []
    const stop = here
      .ctx()
      .events.watch((name, payload) => name === 'runner.changed' && received.push(payload))
    const { id } = await make({ runner_type: 'project_type', project_id: project.id })
    await asMaintainer!.put(`/runners/${id}`, { paused: true })
    expect((await asMaintainer!.delete(`/runners/${id}`)).status).toBe(204)
    stop()
    const event = { runner_id: id, runner_type: 'project_type', project_id: project.id }
    expect(received).toEqual([
      { ...event, action: 'registered', actor_id: 1 },
      { ...event, action: 'changed', actor_id: maintainer!.id },
      { ...event, action: 'removed', actor_id: maintainer!.id },
    ])
    expect(await answerOf(root.get(`/runners/${id}`))).toEqual(GONE)
    const receivers = (event: object) =>
      [owner!, maintainer!, developer!, other!].filter((user) =>
        mayReceive(onBehalfOf(here.ctx(), user.id)!, event),
      )
    // The same holds for a removed runner. Developers of the project receive nothing, and nobody receives events of instance runners.
    expect(receivers({ ...event, action: 'removed', actor_id: 1 })).toEqual([owner, maintainer])
    const changed = { action: 'changed', actor_id: 1 }
    const ofGroup = { runner_id: forGroup.id, runner_type: 'group_type', group_id: group.id }
    expect(receivers({ ...ofGroup, ...changed })).toEqual([owner])
    expect(receivers({ ...ofGroup, ...changed, runner_id: 999_999 })).toEqual([owner])
    expect(receivers({ runner_id: forAll.id, runner_type: 'instance_type', ...changed })).toEqual([])
  })

  it('checks the queue again after a change', async () => {
    const { id, token } = await make({ runner_type: 'instance_type' })
    const ask = (last_update?: string | null) => nobody.post('/jobs/request', { token, last_update })
    const header = (answer: { headers: Headers }) => answer.headers.get('x-gitlab-last-update')
    const first = await ask()
    const held = ask(header(first))
    await expect.poll(() => heldRequests(here.ctx(), id)).toBe(1)
    await root.put(`/runners/${id}`, { description: 'changed' })
    const answer = await held
    expect([answer.status, header(answer)]).toEqual([204, expect.stringMatching(/^\w+$/)])
    expect(header(answer)).not.toBe(header(first))
    await root.put(`/runners/${id}`, { paused: true })
    expect((await ask()).status).toBe(204)
  })
})
