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

describe('what an event makes stale', () => {
  const after = (event: LiveEvent) => staleAfter(event, all)

  it('is everything of its project, by number and by path, and the lists it stands in', () => {
    expect(after({ name: 'refs.updated', project_id: 7 })).toEqual([overview, branches, list])
  })

  it('is nothing of other projects', () => {
    expect(after({ name: 'refs.updated', project_id: 8 })).toEqual([other, list])
  })

  it('is the page of the settings when a setting changed', () => {
    expect(after({ name: 'settings.modified' })).toEqual([settings])
  })

  it('is the list of tokens when a token came or went', () => {
    expect(after({ name: 'personal_access_token.created', user_id: 1 })).toEqual([tokens])
  })

  it('is the list of users when a user changed', () => {
    expect(after({ name: 'user.updated', user_id: 4 })).toEqual([users])
  })

  it('is what waits for the user when that changed, and the feed when an event was added', () => {
    expect(after({ name: 'todos.changed', user_id: 4 })).toEqual([todos, counts])
    expect(after({ name: 'activity.recorded', project_id: 7 })).toEqual([events])
  })

  it('is webhooks and their log after a delivery, and nothing after an event that they listen to', () => {
    const hooks = answer('GET /projects/:id/hooks', { id: 7 })
    const log = answer('GET /hooks/:hook_id/events', { hook_id: 3 })
    const delivery = { name: 'hook.delivery_ended', project_id: 7, hook_id: 3 }
    expect(staleAfter(delivery, [...all, hooks, log])).toEqual([hooks, log])
    expect(after({ name: 'hook_event.recorded', project_id: 7, event_id: 1 })).toEqual([])
  })

  it('is the lists over all projects when something that is planned changed', () => {
    expect(after({ name: 'issuable.assignees_changed', project_id: 8 })).toEqual([
      other,
      list,
      todos,
      counts,
      assigned,
    ])
  })

  it('is the pictures of the pipelines of its project when a job went on, and nothing else', () => {
    const known = [...all, graph, otherGraph, runners]
    expect(staleAfter({ name: 'job.changed', project_id: 7 }, known)).toEqual([graph])
  })

  it('is the runners when one changed', () => {
    expect(staleAfter({ name: 'runner.changed', project_id: 7 }, [...all, graph, runners])).toEqual([runners])
  })

  it('is the keys, sessions, applications, limits and topics when one changed', () => {
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
    expect(names.map((name) => staleAfter({ name }, own))).toEqual(own.map((one) => [one]))
  })

  it('is the group too, when a project is shared with it', () => {
    const members = answer('GET /groups/:id/members', { id: 3 })
    const foreign = answer('GET /groups/:id/members', { id: 4 })
    const above = answer('GET /groups/:id', { id: 5 })
    expect(
      staleAfter({ name: 'project.shared', project_id: 7, group_id: 3 }, [members, foreign, above, other]),
    ).toEqual([members, above])
  })

  it('is everything of its owner, when nothing is declared', () => {
    expect(after({ name: 'unheard_of.changed', project_id: 7 })).toEqual([overview, branches, list])
    expect(after({ name: 'unheard_of.changed' })).toEqual([])
  })

  it('is nothing when nobody shows it', () => {
    expect(after({ name: 'session.created', user_id: 1 })).toEqual([])
  })
})
