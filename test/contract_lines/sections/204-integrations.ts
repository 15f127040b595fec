import { expect } from 'vitest'

import { eachFrom, from, teamOn, within } from '../access.ts'
import { accessLine, section, line, unproven } from '../section.ts'

const webhook = 'https://chat.example.com/hook'

export const statements = section(
  'Integrations (Maintainer or Owner role required)',
  async (w, root) => {
    const project = await w.make.project()
    const { id } = project
    const at = `/projects/${id}/integrations`
    const set = async (slug: string, params: object) => (await root.put(`${at}/${slug}`, params)).status
    const open = await w.make.project({ visibility: 'public' })
    const shown = { at: `/projects/${open.id}`, team: await teamOn(w, 'projects', open) }
    return { id, at, set, shown, team: await teamOn(w, 'projects', project) }
  },
  [
    accessLine(
      'Integrations (Maintainer or Owner role required)',
      within(
        'shown',
        eachFrom('maintainer', {
          'In a public project, GET …/integrations': (client, { at }) => client.get(`${at}/integrations`),
          'GET …/services': (client, { at }) => client.get(`${at}/services`),
          'PUT …/integrations/:slug': (client, { at }) =>
            client.put(`${at}/integrations/emails-on-push`, { recipients: 'a@example.test' }),
          'PUT …/services/:slug': (client, { at }) =>
            client.put(`${at}/services/emails-on-push`, { recipients: 'a@example.test' }),
          'GET …/integrations/:slug': (client, { at }) => client.get(`${at}/integrations/emails-on-push`),
          'GET …/services/:slug': (client, { at }) => client.get(`${at}/services/emails-on-push`),
          'DELETE …/integrations/:slug': (client, { at }) =>
            client.delete(`${at}/integrations/emails-on-push`),
          'DELETE …/services/:slug': (client, { at }) => client.delete(`${at}/services/emails-on-push`),
        }),
      ),
    ),
    line(
      '`/projects/:id/services` is an alias of `/projects/:id/integrations`.',
      'GET /projects/:id/services/emails-on-push answers like /integrations',
      async ({ root, id, at, set }) => {
        await set('emails-on-push', { recipients: 'a@example.test' })
        const [old, now] = [
          await root.get(`/projects/${id}/services/emails-on-push`),
          await root.get(`${at}/emails-on-push`),
        ]
        expect([old.status, old.body]).toEqual([200, now.body])
      },
      from('maintainer', (client, { id }) => client.get(`/projects/${id}/services`)),
    ),
    line(
      'GET `/projects/:id/integrations`: array of active integrations (integration list entry).',
      'GET /projects/:id/integrations → the active ones',
      async ({ root, at, set }) => {
        await set('emails-on-push', { recipients: 'a@example.test' })
        expect((await root.get(at)).body.map((integration: { slug: string }) => integration.slug)).toContain(
          'emails-on-push',
        )
      },
      from('maintainer', (client, { at }) => client.get(at)),
    ),
    line(
      'For each integration with slug `<integration_slug>`: PUT `/projects/:id/integrations/<integration_slug>` creates or edits it; GET returns its settings; DELETE disables it and keeps its settings.',
      'PUT, GET, DELETE, GET of an integration: its settings stay',
      async ({ root, at, set }) => {
        expect(await set('emails-on-push', { recipients: 'b@example.test' })).toBe(200)
        const deleted = await root.delete(`${at}/emails-on-push`)
        expect(deleted.status).toBeLessThan(300)
        const { body } = await root.get(`${at}/emails-on-push`)
        expect([body.active, body.properties.recipients]).toEqual([false, 'b@example.test'])
      },
      from('maintainer', (client, { at }) =>
        client.put(`${at}/emails-on-push`, { recipients: 'a@example.test' }),
      ),
    ),
    line(
      'Slugs with neutral names: `custom-issue-tracker` (required strings `new_issue_url`, `issues_url`, `project_url`) and `emails-on-push` (required `recipients` string, whitespace-separated; optional `disable_diffs` boolean).',
      'PUT custom-issue-tracker and emails-on-push without a required value → 400, with all → 200',
      async ({ set }) => {
        const addresses = {
          new_issue_url: 'https://t.example.com/new',
          issues_url: 'https://t.example.com/:id',
          project_url: 'https://t.example.com',
        }
        expect(await set('custom-issue-tracker', addresses)).toBe(200)
        expect(await set('custom-issue-tracker', { ...addresses, issues_url: undefined })).toBe(400)
        expect(
          await set('emails-on-push', { recipients: 'a@example.test b@example.test', disable_diffs: true }),
        ).toBe(200)
        expect(await set('emails-on-push', { disable_diffs: true })).toBe(400)
      },
    ),
    unproven('Parameter variants shared by other integrations:', 'Introduces the table below.'),
    line(
      'Chat webhook | `webhook` string required; `notify_only_broken_pipelines` boolean; `branches_to_be_notified` string `all`, `default`, `protected`, `default_and_protected` (default `default`); booleans `push_events`, `issues_events`, `confidential_issues_events`, `merge_requests_events`, `tag_push_events`, `note_events`, `confidential_note_events`, `pipeline_events`, `wiki_page_events`',
      'PUT …/integrations/slack with all → 200, without webhook → 400',
      async ({ set }) => {
        const flags = Object.fromEntries(
          [
            'push_events',
            'issues_events',
            'confidential_issues_events',
            'merge_requests_events',
            'tag_push_events',
            'note_events',
            'confidential_note_events',
            'pipeline_events',
            'wiki_page_events',
          ].map((name) => [name, true]),
        )
        for (const branches_to_be_notified of ['all', 'default', 'protected', 'default_and_protected'])
          expect(
            await set('slack', {
              webhook,
              notify_only_broken_pipelines: true,
              branches_to_be_notified,
              ...flags,
            }),
          ).toBe(200)
        expect(await set('mattermost', {})).toBe(400)
      },
    ),
    line(
      'Webhook only | `webhook` string required',
      'PUT …/integrations/unify-circuit → 200, without webhook → 400',
      async ({ set }) => {
        expect(await set('unify-circuit', { webhook })).toBe(200)
        expect(await set('webex-teams', {})).toBe(400)
      },
    ),
    line(
      'Issue tracker | `new_issue_url`, `issues_url`, `project_url` strings required',
      'PUT …/integrations/redmine → 200, without issues_url → 400',
      async ({ set }) => {
        const addresses = {
          new_issue_url: 'https://t.example.com/new',
          issues_url: 'https://t.example.com/:id',
          project_url: 'https://t.example.com',
        }
        expect(await set('redmine', addresses)).toBe(200)
        expect(await set('redmine', { ...addresses, issues_url: '' })).toBe(400)
      },
    ),
    line(
      'CI server by token | `token` required; server URL required; `enable_ssl_verification` boolean default true (no effect in one variant); booleans `push_events`, `merge_requests_events`, `tag_push_events`',
      'PUT …/integrations/drone-ci → 200, without token → 400',
      async ({ set }) => {
        const params = {
          token: 't',
          drone_url: 'https://ci.example.com',
          enable_ssl_verification: true,
          push_events: true,
          merge_requests_events: true,
          tag_push_events: true,
        }
        expect(await set('drone-ci', params)).toBe(200)
        expect(await set('buildkite', { project_url: 'https://ci.example.com' })).toBe(400)
      },
    ),
    line(
      'Build plan server | URL required; `build_key`, `username`, `password` required; `enable_ssl_verification` default true',
      'PUT …/integrations/bamboo → 200, without build_key → 400',
      async ({ set }) => {
        const params = {
          bamboo_url: 'https://ci.example.com',
          build_key: 'K',
          username: 'u',
          password: 'p',
          enable_ssl_verification: true,
        }
        expect(await set('bamboo', params)).toBe(200)
        expect(await set('bamboo', { ...params, build_key: '' })).toBe(400)
      },
    ),
    line(
      'Task comments | `api_key` required; `restrict_to_branch` string, comma-separated',
      'PUT …/integrations/asana → 200, without api_key → 400',
      async ({ set }) => {
        expect(await set('asana', { api_key: 'k', restrict_to_branch: 'main,next' })).toBe(200)
        expect(await set('asana', { api_key: '' })).toBe(400)
      },
    ),
    line(
      'Token and subdomain | `token` required; `subdomain` optional; optional `room`',
      'PUT …/integrations/campfire → 200, without token → 400',
      async ({ set }) => {
        expect(await set('campfire', { token: 't', subdomain: 's', room: '1' })).toBe(200)
        expect(await set('campfire', { token: '' })).toBe(400)
      },
    ),
    line(
      'Monitoring | `api_key` required; optional API URL, env tag, service tag, site, custom tags (one `key:value` per line), `archive_trace_events` boolean',
      'PUT …/integrations/datadog → 200, without api_key → 400',
      async ({ set }) => {
        expect(
          await set('datadog', {
            api_key: 'k',
            api_url: 'https://dd.example.com',
            datadog_env: 'e',
            datadog_service: 's',
            datadog_site: 'datadoghq.com',
            datadog_tags: 'a:b',
            archive_trace_events: true,
          }),
        ).toBe(200)
        expect(await set('datadog', { api_key: '' })).toBe(400)
      },
    ),
    unproven(
      'Integrations other than those listed, and the remaining parameters of the emails-on-push integration: not shown.',
      'The contract does not show them; test/api/integrations covers all that are there.',
    ),
  ],
)
