import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, it } from 'vitest'

import { openSettings, listensTo } from '../../../server/domains/integrations/settings.ts'
import { activeOf, find } from '../../../server/domains/integrations/store.ts'
import { world } from '../../support/world.ts'

const here = await world()
const root = here.as(here.root)
const project = await here.make.project()
const at = `/projects/${project.id}/integrations`
const row = (slug: string) => find(here.ctx().db, project.id, slug)!
const open = (slug: string) => openSettings(here.ctx(), row(slug))
const WEBHOOK = { webhook: 'https://hooks.example/T1' }
const BAD = { message: '400 Bad Request' }

describe('the settings of an integration', () => {
  it('have the defaults of the contract, and the given values', async () => {
    const made = await root.put(`${at}/slack`, { ...WEBHOOK, username: 'reef', push_channel: '#a,#b' })
    expect(made.body.properties).toEqual({
      username: 'reef',
      push_channel: '#a,#b',
      notify_only_broken_pipelines: true,
      branches_to_be_notified: 'default',
      labels_to_be_notified_behavior: 'match_any',
    })
    const emails = await root.put(`${at}/emails-on-push`, { recipients: 'a@example.test' })
    expect(emails.body.properties.branches_to_be_notified).toBe('all')
    expect(open('slack')).toMatchObject({ ...WEBHOOK, username: 'reef', channel: null })
  })

  it('keep values that a later request leaves out; null clears', async () => {
    const changed = await root.put(`${at}/slack`, { ...WEBHOOK, channel: 'general', push_events: 'false' })
    expect(changed.body.properties).toMatchObject({ username: 'reef', channel: 'general' })
    expect(changed.body.push_events).toBe(false)
    const cleared = await root.put(`${at}/slack`, { ...WEBHOOK, channel: null })
    expect(cleared.body.properties).not.toHaveProperty('channel')
    expect(cleared.body.push_events).toBe(false)
    expect(cleared.body.updated_at >= cleared.body.created_at).toBe(true)
  })

  it('accept forms, and only the flags of its events', async () => {
    const form = new URLSearchParams({ ...WEBHOOK, deployment_events: '1', archive_trace_events: '1' })
    const made = await root.put(`${at}/slack`, form)
    expect([made.status, made.body.deployment_events]).toEqual([200, true])
    expect(JSON.parse(row('slack').events)).toMatchObject({ archive_trace_events: false })
    const jobs = await root.put(`${at}/discord`, { ...WEBHOOK, job_events: false, note_events: false })
    expect([jobs.body.job_events, jobs.body.note_events]).toEqual([true, false])
    const logs = await root.put(`${at}/datadog`, { api_key: 'k', archive_trace_events: true })
    expect(logs.body.properties).toEqual({ datadog_site: 'datadoghq.com', archive_trace_events: true })
  })

  it('return 400 for invalid values', async () => {
    const cases: [string, object, object][] = [
      [
        'slack',
        { ...WEBHOOK, branches_to_be_notified: 'none' },
        { error: 'branches_to_be_notified does not have a valid value' },
      ],
      ['slack', { ...WEBHOOK, push_events: 'perhaps' }, { error: 'push_events is invalid' }],
      ['slack', { ...WEBHOOK, push_channel: Array.from({ length: 11 }, (_, n) => n).join(',') }, BAD],
      ['slack', { webhook: ['https://x.example'] }, { error: 'webhook is invalid' }],
      [
        'pushover',
        { api_key: 'a', user_key: 'b', priority: 3 },
        { error: 'priority does not have a valid value' },
      ],
      ['confluence', { confluence_url: 'https://wiki.example/wiki' }, BAD],
      [
        'ewm',
        {
          project_url: 'https://x.example',
          issues_url: 'https://x.example',
          new_issue_url: 'https://x.example',
        },
        BAD,
      ],
      ['datadog', { api_key: 'k', datadog_tags: 'no pair' }, BAD],
      [
        'irker',
        { recipients: 'a', server_port: 70_000 },
        { error: 'server_port does not have a valid value' },
      ],
      ['jira', { url: 'https://x.example' }, { error: 'username is missing, password is missing' }],
      [
        'jira',
        { url: 'https://x.example', username: 'a', password: 'b', jira_issue_transition_id: 'x' },
        BAD,
      ],
      ['telegram', { token: 'a/../b', room: '1' }, BAD],
    ]
    for (const [slug, params, body] of cases) {
      const answer = await root.put(`${at}/${slug}`, params)
      expect([slug, answer.status, answer.body]).toEqual([slug, 400, body])
    }
  })

  it('accept the outdated setting for the default branch', async () => {
    const chat = async (params: object) =>
      (await root.put(`${at}/hangouts-chat`, { ...WEBHOOK, ...params })).body.properties
        .branches_to_be_notified
    expect(await chat({ notify_only_default_branch: false })).toBe('all')
    expect(await chat({ notify_only_default_branch: true })).toBe('default')
    expect(await chat({ notify_only_default_branch: true, branches_to_be_notified: 'protected' })).toBe(
      'protected',
    )
  })

  it('need no user name with a personal access token', async () => {
    const made = await root.put(`${at}/jira`, {
      url: 'https://jira.example',
      password: 'secret',
      jira_auth_type: 1,
    })
    expect([made.status, made.body.properties]).toEqual([
      200,
      { url: 'https://jira.example', jira_auth_type: 1, jira_issue_transition_automatic: false },
    ])
  })

  it('activate the integration, even if a client sends active=false', async () => {
    const jira = { url: 'https://jira.example', username: 'u', password: 'p' }
    await root.delete(`${at}/jira`)
    const on = await root.put(`${at}/jira`, { ...jira, active: false })
    expect([on.status, on.body.active]).toEqual([200, true])
  })

  it('can be deactivated before they are set up', async () => {
    expect((await root.delete(`${at}/redmine`)).status).toBe(204)
    const shown = await root.get(`${at}/redmine`)
    expect([shown.status, shown.body.active, shown.body.properties]).toEqual([200, false, {}])
  })

  it('stay active when If-Unmodified-Since is before the last change', async () => {
    const stale = { 'if-unmodified-since': new Date(0).toUTCString() }
    expect((await root.delete(`${at}/slack`, undefined, stale)).status).toBe(412)
    expect((await root.get(`${at}/slack`)).body.active).toBe(true)
  })
})

describe('secrets', () => {
  it('are not sent to another server than the one they were entered for', async () => {
    const jenkins = { jenkins_url: 'https://one.example', project_name: 'reef', username: 'u' }
    await root.put(`${at}/jenkins`, { ...jenkins, password: 'of one' })
    await root.put(`${at}/jenkins`, { ...jenkins, project_name: 'other' })
    expect(open('jenkins')).toMatchObject({ password: 'of one', project_name: 'other' })
    await root.put(`${at}/jenkins`, { ...jenkins, jenkins_url: 'https://two.example' })
    expect(open('jenkins')).toMatchObject({ password: null, jenkins_url: 'https://two.example' })
    await root.put(`${at}/jenkins`, { ...jenkins, password: 'new' })
    expect(open('jenkins')['password']).toBe('new')
  })

  it('are kept when another address changes', async () => {
    await root.put(`${at}/prometheus`, {
      api_url: 'https://p.example',
      google_iap_service_account_json: '{}',
    })
    await root.put(`${at}/prometheus`, { api_url: 'https://p.example', google_iap_audience_client_id: 'x' })
    expect(open('prometheus')['google_iap_service_account_json']).toBe('{}')
  })
})

describe('addresses of the local network', () => {
  it('are refused unless the instance allows them', async () => {
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '10.1.2.3', '169.254.169.254', '0x7f.1']) {
      const answer = await root.put(`${at}/pumble`, { webhook: `http://${host}:8080/x` })
      expect([host, answer.status, answer.body]).toEqual([host, 400, BAD])
    }
    await root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
    expect((await root.put(`${at}/pumble`, { webhook: 'http://127.0.0.1:8080/x' })).status).toBe(200)
    expect((await root.put(`${at}/pumble`, { webhook: 'http://169.254.169.254/' })).status).toBe(400)
    await root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: false })
    // Users open links, so any address is allowed.
    expect(
      (await root.put(`${at}/external-wiki`, { external_wiki_url: 'http://localhost/wiki' })).status,
    ).toBe(200)
  })
})

describe('the events of an integration', () => {
  it('depend on its kinds of events, its flags and whether it is active', async () => {
    await root.put(`${at}/slack`, { ...WEBHOOK, push_events: true, note_events: false })
    const slack = row('slack')
    expect([listensTo(slack, 'push'), listensTo(slack, 'note'), listensTo(slack, 'job')]).toEqual([
      true,
      false,
      false,
    ])
    await root.put(`${at}/jira`, {
      url: 'https://j.example',
      username: 'u',
      password: 'p',
      commit_events: false,
    })
    expect([listensTo(row('jira'), 'push'), listensTo(row('jira'), 'merge_request')]).toEqual([false, true])
    await root.delete(`${at}/slack`)
    expect(listensTo(row('slack'), 'push')).toBe(false)
    expect(activeOf(here.ctx().db, project.id).map((integration) => integration.slug)).not.toContain('slack')
  })

  it('include one for a change of its settings', async () => {
    const received: unknown[] = []
    const stop = here.ctx().events.watch((name, payload) => received.push([name, payload]))
    const { body } = await root.put(`${at}/slack`, WEBHOOK)
    stop()
    const event = {
      project_id: project.id,
      integration_id: body.id,
      slug: 'slack',
      active: true,
      actor_id: 1,
    }
    expect(received).toEqual([['integration.changed', event]])
  })
})

describe('@gitbeaker/rest', () => {
  it('sets up, shows, lists and deactivates integrations', async () => {
    const api = new Gitlab({ host: here.url, token: here.root.token })
    const set = await api.Integrations.edit(project.id, 'slack', {
      webhook: 'https://hooks.example/T2',
      pushEvents: false,
      branchesToBeNotified: 'all',
    } as never)
    expect(set).toMatchObject({ slug: 'slack', active: true, push_events: false })
    expect(await api.Integrations.show(project.id, 'slack')).toMatchObject({
      properties: { branches_to_be_notified: 'all' },
    })
    const slugs = async () => (await api.Integrations.all(project.id)).map((row) => row.slug)
    expect(await slugs()).toContain('slack')
    await api.Integrations.disable(project.id, 'slack')
    expect(await slugs()).not.toContain('slack')
  })
})
