import { describe, expect, it } from 'vitest'

import { findGroup } from '../../../server/domains/groups/index.ts'
import { onBehalfOf } from '../../../server/domains/planning/index.ts'
import { findProject } from '../../../server/domains/projects/index.ts'
import { KINDS, testEvent, type HookEvent, type Kind } from '../../../server/domains/webhooks/index.ts'
import { world } from '../../support/world.ts'
import { pipelinesWithGit } from '../ci/deploying.ts'
import { fill } from '../repository/fill.ts'

const here = await world()
const root = here.as(here.root)
const ctx = () => onBehalfOf(here.ctx(), 1)!
const projectOf = ({ id }: { id: number }) => ({ project: findProject(ctx(), String(id))! })
const groupOf = ({ id }: { id: number }) => ({ group: findGroup(ctx(), String(id))! })
const empty = await here.make.project()
const desert = await here.make.group()
const OF_PROJECTS = KINDS.filter((kind) => !['system', 'member', 'subgroup'].includes(kind))

describe('an empty project', () => {
  it('returns for each kind what is missing', async () => {
    const owner = projectOf(empty)
    const problems = await Promise.all(
      OF_PROJECTS.map(async (kind) => [
        kind,
        ((await testEvent(ctx(), owner, kind)) as { problem: string }).problem,
      ]),
    )
    expect(Object.fromEntries(problems)).toEqual({
      push: 'Ensure the project has at least one commit.',
      tag_push: 'Ensure the project has tags.',
      issue: 'Ensure the project has issues.',
      confidential_issue: 'Ensure the project has confidential issues.',
      note: 'Ensure the project has notes.',
      confidential_note: 'Ensure the project has internal notes.',
      merge_request: 'Ensure the project has merge requests.',
      wiki_page: 'Ensure the wiki is enabled and has pages.',
      pipeline: 'Ensure the project has CI pipelines.',
      job: 'Ensure the project has CI jobs.',
      deployment: 'Ensure the project has deployments.',
      release: 'Ensure the project has releases.',
      feature_flag: 'Ensure the project has feature flags.',
      emoji: 'Ensure the project has emoji reactions.',
      repository_update: 'Ensure the project has at least one commit.',
      // This test uses an invented token.
      resource_access_token: undefined,
    })
  })

  it('returns the same for groups and the instance', async () => {
    const problem = async (owner: Parameters<typeof testEvent>[1], kind: Kind) =>
      ((await testEvent(ctx(), owner, kind)) as { problem: string }).problem
    expect(await problem(groupOf(desert), 'push')).toBe(
      'Ensure a project of the group has at least one commit.',
    )
    expect(await problem(groupOf(desert), 'subgroup')).toBe('Ensure the group has subgroups.')
    expect(await problem('system', 'merge_request')).toBe('Ensure one of your projects has merge requests.')
    expect(await problem('system', 'push')).toBe('Ensure one of your projects has at least one commit.')
  })
})

describe('existing data', () => {
  it('is tested with the newest row of every kind, and no event is stored', async () => {
    const parent = await here.make.group()
    const below = await here.make.group({ parent_id: parent.id })
    const { project, ...pipelines } = await pipelinesWithGit(here, { namespace_id: below.id })
    const at = `/projects/${project.id}`
    const sha = pipelines.commit()
    fill(here, project, [{ branch: 'topic', files: { 'topic.txt': 'topic' } }])
    await root.post(`${at}/repository/tags`, { tag_name: 'v1', ref: 'main' })
    await root.post(`${at}/releases`, { tag_name: 'v1', name: 'One' })
    await root.post(`${at}/feature_flags`, { name: 'dark', version: 'new_version_flag' })
    await root.post(`${at}/issues`, { title: 'Hole', confidential: true })
    const { body: issue } = await root.post(`${at}/issues`, { title: 'Open' })
    await root.post(`${at}/issues/${issue.iid}/notes`, { body: 'Among us', internal: true })
    await root.post(`${at}/issues/${issue.iid}/notes`, { body: 'For all' })
    await root.post(`${at}/issues/${issue.iid}/award_emoji`, { name: 'rocket' })
    await root.post(`${at}/merge_requests`, { source_branch: 'topic', target_branch: 'main', title: 'Topic' })
    const id = await pipelines.make('ship: { script: make, environment: production }')
    pipelines.end(id, 'ship')
    await here.drain()

    const owner = projectOf(project)
    const events: Partial<Record<Kind, HookEvent>> = {}
    for (const kind of OF_PROJECTS) {
      const event = await testEvent(ctx(), owner, kind)
      if ('payload' in event) events[kind] = event
    }
    expect(Object.keys(events).sort()).toEqual(OF_PROJECTS.filter((kind) => kind !== 'wiki_page').sort())
    for (const [kind, event] of Object.entries(events))
      expect(event).toMatchObject({ kind, project_id: project.id })
    const attributes = (kind: Kind) => events[kind]!.payload['object_attributes']
    expect(events.push!.payload).toMatchObject({ ref: 'refs/heads/main', after: sha, total_commits_count: 1 })
    expect(events.tag_push!.payload).toMatchObject({ ref: 'refs/tags/v1', after: sha })
    expect(attributes('issue')).toMatchObject({ title: 'Open', action: 'open' })
    expect(attributes('confidential_issue')).toMatchObject({ title: 'Hole' })
    expect(attributes('note')).toMatchObject({ note: 'For all' })
    expect(attributes('confidential_note')).toMatchObject({ note: 'Among us' })
    expect(attributes('emoji')).toMatchObject({ name: 'rocket' })
    expect(attributes('merge_request')).toMatchObject({ title: 'Topic', action: 'open' })
    expect(attributes('pipeline')).toMatchObject({ id, status: 'success' })
    expect(events.job!.payload).toMatchObject({ build_name: 'ship', build_status: 'success' })
    expect(events.deployment!.payload).toMatchObject({ environment: 'production', status: 'success' })
    expect(events.release!.payload).toMatchObject({ tag: 'v1', action: 'create' })
    expect(attributes('feature_flag')).toMatchObject({ name: 'dark', active: true })
    expect(attributes('resource_access_token')).toMatchObject({ expires_at: expect.any(String) })

    // Tests of a group use the newest row of its projects, also in subgroups.
    expect(await testEvent(ctx(), groupOf(parent), 'issue')).toEqual(events.issue)
    expect(await testEvent(ctx(), groupOf(parent), 'subgroup')).toMatchObject({
      kind: 'subgroup',
      group_id: parent.id,
      payload: { event_name: 'subgroup_create', group_id: below.id, parent_group_id: parent.id },
    })
    expect(await testEvent(ctx(), groupOf(parent), 'member')).toMatchObject({
      kind: 'member',
      payload: { event_name: 'user_add_to_group', user_username: 'root', group_access: 'Owner' },
    })
    expect(await testEvent(ctx(), groupOf(parent), 'resource_access_token')).toMatchObject({
      payload: { group: { group_id: parent.id } },
    })
    expect(await testEvent(ctx(), 'system', 'push')).toEqual(events.push)
    expect(here.ctx().db.one('SELECT 1 FROM hook_events')).toBeUndefined()
  })
})
