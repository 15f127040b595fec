import { describe, expect, it } from 'vitest'
import { staleAfter, type LiveEvent } from '../../renderer/api/live-reach.ts'

const answer = (endpoint: string, params: Record<string, unknown> = {}, data: unknown = undefined) => ({
  endpoint,
  params,
  data,
})

const overview = answer('GET /projects/:id', { id: 'salt/heron' }, { id: 7 })
const branches = answer('GET /projects/:id/repository/branches', { id: 7 })
const other = answer('GET /projects/:id/repository/branches', { id: 8 })
const list = answer('GET /projects', { page: 1 })
const settings = answer('GET /application/settings')
const tokens = answer('GET /personal_access_tokens', { user_id: 1 })
const users = answer('GET /users', { page: 1 })
const todos = answer('GET /todos', { state: ['pending'] })
const counts = answer('GET /user_counts')
const events = answer('GET /events', { scope: 'all' })
const assigned = answer('GET /issues', { scope: 'assigned_to_me' })
const graph = answer('GET /-/projects/:id/pipelines/:pipeline_id/graph', { id: 7, pipeline_id: 1 })
const otherGraph = answer('GET /-/projects/:id/pipelines/:pipeline_id/graph', { id: 8, pipeline_id: 2 })
const runners = answer('GET /runners/all', { page: 1 })
const all = [overview, branches, other, list, settings, tokens, users, todos, counts, events, assigned]

describe('the cached answers that an event makes stale', () => {
  const after = (event: LiveEvent) => staleAfter(event, all)

  it('are those of its project, by ID and by path, and the lists of projects', () => {
    expect(after({ name: 'refs.updated', project_id: 7 })).toEqual([overview, branches, list])
  })

  it('are not those of other projects', () => {
    expect(after({ name: 'refs.updated', project_id: 8 })).toEqual([other, list])
  })

  it('are the settings after a change of a setting', () => {
    expect(after({ name: 'settings.modified' })).toEqual([settings])
  })

  it('are the tokens after a token was created or revoked', () => {
    expect(after({ name: 'personal_access_token.created', user_id: 1 })).toEqual([tokens])
  })

  it('are the users after a change of a user', () => {
    expect(after({ name: 'user.updated', user_id: 4 })).toEqual([users])
  })

  it('are the to-do items after they changed, and the feed after a new activity', () => {
    expect(after({ name: 'todos.changed', user_id: 4 })).toEqual([todos, counts])
    expect(after({ name: 'activity.recorded', project_id: 7 })).toEqual([events])
  })

  it('are webhooks and their log after a delivery, but not after the recorded event', () => {
    const hooks = answer('GET /projects/:id/hooks', { id: 7 })
    const log = answer('GET /hooks/:hook_id/events', { hook_id: 3 })
    const delivery = { name: 'hook.delivery_ended', project_id: 7, hook_id: 3 }
    expect(staleAfter(delivery, [...all, hooks, log])).toEqual([hooks, log])
    expect(after({ name: 'hook_event.recorded', project_id: 7, event_id: 1 })).toEqual([])
  })

  it('are the lists of all projects after a change of an issue or merge request', () => {
    expect(after({ name: 'issuable.assignees_changed', project_id: 8 })).toEqual([
      other,
      list,
      todos,
      counts,
      assigned,
    ])
  })

  it('are the pipeline graphs of its project after a change of a job', () => {
    const known = [...all, graph, otherGraph, runners]
    expect(staleAfter({ name: 'job.changed', project_id: 7 }, known)).toEqual([graph])
  })

  it('are the runners after a change of a runner', () => {
    expect(staleAfter({ name: 'runner.changed', project_id: 7 }, [...all, graph, runners])).toEqual([runners])
  })

  it('are the keys, sessions, applications, limits and topics after their change', () => {
    const own = [
      answer('GET /user/keys'),
      answer('GET /user/gpg_keys'),
      answer('GET /-/profile/sessions'),
      answer('GET /-/profile/applications'),
      answer('GET /application/plan_limits'),
      answer('GET /topics'),
    ]
    const names = [
      'ssh_key.added',
      'gpg_key.revoked',
      'session.created',
      'oauth_application.updated',
      'plan_limits.changed',
      'topic.created',
    ]
    expect(names.map((name) => staleAfter({ name }, own))).toEqual(own.map((name) => [name]))
  })

  it('include the group after a project was shared with it', () => {
    const members = answer('GET /groups/:id/members', { id: 3 })
    const foreign = answer('GET /groups/:id/members', { id: 4 })
    const above = answer('GET /groups/:id', { id: 5 })
    expect(
      staleAfter({ name: 'project.shared', project_id: 7, group_id: 3 }, [members, foreign, above, other]),
    ).toEqual([members, above])
  })

  it('are all of its owner if the event declares none', () => {
    expect(after({ name: 'unheard_of.changed', project_id: 7 })).toEqual([overview, branches, list])
    expect(after({ name: 'unheard_of.changed' })).toEqual([])
  })

  it('are none if no view shows them', () => {
    expect(after({ name: 'session.created', user_id: 1 })).toEqual([])
  })
})
