import { beforeAll, beforeEach, describe, expect, it } from 'vitest'

import type { SettingDescription } from '../../../server/domains/settings/entity.ts'
import { world, type World } from '../../support/world.ts'
import { sampleOf } from './sample.ts'

let w: World
let all: SettingDescription[]
beforeAll(async () => {
  w = await world()
  const { body } = await w.as(w.root).get('/-/settings/catalogue')
  all = body.groups.flatMap((group: { settings: SettingDescription[] }) => group.settings)
})
beforeEach(() => {
  w.ctx().db.exec("UPDATE application_settings SET changes = '{}', secrets = '{}'")
})
const put = (body: object) => w.as(w.root).put('/application/settings', body)
const answerTo = async (body: object) => {
  const answer = await put(body)
  return [answer.status, answer.body]
}

describe('a switch and the settings that it requires', () => {
  it('are required in one request, only when the switch is turned on', async () => {
    const switches = all.filter((setting) => setting.needs.length > 0)
    expect(switches.length).toBeGreaterThan(25)
    for (const { name, needs } of switches) {
      const sentence = needs.map((need) => `${need} is missing`).join(', ')
      expect([name, ...(await answerTo({ [name]: true }))]).toEqual([name, 400, { error: sentence }])
    }
    const off = Object.fromEntries(switches.map(({ name }) => [name, false]))
    expect((await put(off)).status).toBe(200)
  })

  it('are stored together, and required settings cannot be cleared later', async () => {
    expect(await answerTo({ kroki_enabled: true, kroki_url: '' })).toEqual([
      400,
      { message: { kroki_url: ["can't be blank"] } },
    ])
    const kroki = await put({ kroki_enabled: true, kroki_url: 'https://kroki.test' })
    expect(kroki.body).toMatchObject({ kroki_enabled: true, kroki_url: 'https://kroki.test' })
    expect(await answerTo({ kroki_url: null })).toEqual([400, { message: { kroki_url: ["can't be blank"] } }])
    expect((await put({ kroki_enabled: false, kroki_url: null })).body.kroki_url).toBeNull()
  })

  it('also applies to secrets, which administrators can read', async () => {
    const url = { spam_check_endpoint_enabled: true, spam_check_endpoint_url: 'grpc://spam.test' }
    expect(await answerTo({ ...url, spam_check_api_key: '' })).toEqual([
      400,
      { message: { spam_check_api_key: ["can't be blank"] } },
    ])
    expect((await put({ ...url, spam_check_api_key: 'sesame' })).body.spam_check_api_key).toBe('sesame')
    const { secrets } = w.ctx().db.one<{ secrets: string }>('SELECT secrets FROM application_settings')!
    expect(secrets).not.toContain('sesame')
    expect((await put({ sign_in_text: 'x' })).body.spam_check_api_key).toBe('sesame')
  })

  it('accept an empty text', async () => {
    const answer = await put({ shared_runners_enabled: true, shared_runners_text: '' })
    expect([answer.status, answer.body.shared_runners_text]).toEqual([200, ''])
  })

  it('accepts a single housekeeping period from newer clients', async () => {
    const answer = await put({ housekeeping_enabled: true, housekeeping_optimize_repository_period: 20 })
    expect(answer.body).toMatchObject({ housekeeping_optimize_repository_period: 20 })
  })
})

describe('limits', () => {
  it('of numbers are enforced with an error of the setting', async () => {
    const numbers = all.filter(({ kind }) => kind === 'number' || kind === 'decimal')
    const beyond = numbers.flatMap(({ name, minimum, maximum }) => [
      ...(minimum === null
        ? []
        : [{ name, value: minimum - 1, text: /^must be greater than (or equal to )?-?\d+$/ }]),
      ...(maximum === null
        ? []
        : [{ name, value: maximum + 1, text: /^must be less than (or equal to )?\d+$/ }]),
    ])
    expect(beyond.length).toBeGreaterThan(150)
    for (const { name, value, text } of beyond) {
      const { status, body } = await put({ [name]: value })
      expect([name, status, body.message?.[name]?.[0]]).toEqual([name, 400, expect.stringMatching(text)])
    }
  })

  it('of texts and lists are enforced with an error in the same format', async () => {
    const long = await put({
      rate_limiting_response_text: 'x'.repeat(256),
      spam_check_api_key: 'x'.repeat(2001),
    })
    expect(long.body).toEqual({
      message: {
        rate_limiting_response_text: ['is too long (maximum is 255 characters)'],
        spam_check_api_key: ['is too long (maximum is 2000 characters)'],
      },
    })
    const names = Array.from({ length: 1001 }, (_, index) => `h${index}.test`)
    expect(
      await answerTo({ outbound_local_requests_whitelist: names, protected_paths: names.slice(0, 101) }),
    ).toEqual([
      400,
      {
        message: {
          outbound_local_requests_whitelist: ['is too long (maximum is 1000 entries)'],
          protected_paths: ['is too long (maximum is 100 entries)'],
        },
      },
    ])
  })

  it.each([
    [{ gitaly_timeout_fast: 40 }, { gitaly_timeout_medium: ['must be greater than or equal to 40'] }],
    [{ gitaly_timeout_medium: 56 }, { gitaly_timeout_medium: ['must be less than or equal to 55'] }],
    [
      { gitaly_timeout_default: 9 },
      {
        gitaly_timeout_fast: ['must be less than or equal to 9'],
        gitaly_timeout_medium: ['must be less than or equal to 9'],
      },
    ],
    [
      { housekeeping_incremental_repack_period: 60 },
      { housekeeping_full_repack_period: ['must be greater than or equal to 60'] },
    ],
    [{ housekeeping_gc_period: 49 }, { housekeeping_gc_period: ['must be greater than or equal to 50'] }],
    [
      { mirror_capacity_threshold: 101 },
      { mirror_capacity_threshold: ['must be less than or equal to 100'] },
    ],
    [
      { inactive_projects_send_warning_email_after_months: 2 },
      { inactive_projects_send_warning_email_after_months: ['must be less than 2'] },
    ],
    [
      { domain_denylist_enabled: true },
      { domain_denylist: ['Domain denylist cannot be empty if denylist is enabled.'] },
    ],
    [
      Object.fromEntries(
        ['rsa', 'dsa', 'ecdsa', 'ed25519', 'ecdsa_sk', 'ed25519_sk'].map((name) => [
          `${name}_key_restriction`,
          -1,
        ]),
      ),
      { allowed_key_types: ["can't be blank"] },
    ],
    [{ smtp_enabled: true }, { smtp_address: ["can't be blank"] }],
    [
      { repository_storages_weighted: { nowhere: 1 } },
      { repository_storages_weighted: ["can't include: nowhere"] },
    ],
    [
      { repository_storages_weighted: { default: 101 } },
      { repository_storages_weighted: ["value for 'default' must be between 0 and 100"] },
    ],
    [
      { archive_builds_in_human_readable: '12 hours' },
      { archive_builds_in_human_readable: ['must be at least 1 day'] },
    ],
    [
      { default_artifacts_expire_in: 'some day' },
      { default_artifacts_expire_in: ['is not a correct duration'] },
    ],
    [
      { default_ci_config_path: '/x.yml' },
      { default_ci_config_path: ['cannot include leading slash or directory traversal.'] },
    ],
    [{ home_page_url: 'javascript:alert(1)' }, { home_page_url: ['is blocked: URI is invalid'] }],
    [
      { home_page_url: 'ftp://x.test' },
      { home_page_url: ['is blocked: Only allowed schemes are http, https'] },
    ],
    [
      { spam_check_endpoint_url: 'https://x.test' },
      { spam_check_endpoint_url: ['is blocked: Only allowed schemes are grpc, tls'] },
    ],
    [{ after_sign_out_path: '//evil.test' }, { after_sign_out_path: ['is blocked: URI is invalid'] }],
    [{ email_restrictions: '(' }, { email_restrictions: ['is not a valid RE2 syntax'] }],
    [{ commit_email_hostname: 'a@b' }, { commit_email_hostname: ['is invalid'] }],
    [{ abuse_notification_email: 'nobody' }, { abuse_notification_email: ['is invalid'] }],
    [
      { geo_node_allowed_ips: 'anything' },
      { geo_node_allowed_ips: ['contains an invalid IP address or range'] },
    ],
    [{ eks_account_id: '12' }, { eks_account_id: ['must be a 12-digit number'] }],
    [{ eks_access_key_id: 'short' }, { eks_access_key_id: ['is too short (minimum is 16 characters)'] }],
    [{ external_auth_client_cert: 'x' }, { external_auth_client_cert: ['is not a valid X509 certificate.'] }],
    [
      { performance_bar_allowed_group_path: 'no/where' },
      { performance_bar_allowed_group_path: ['not found'] },
    ],
  ])('%j is refused', async (body, message) => {
    expect(await answerTo(body)).toEqual([400, { message }])
  })

  it.each([
    [{ import_sources: ['svn'] }, 'import_sources does not have a valid value'],
    [{ first_day_of_week: 3 }, 'first_day_of_week does not have a valid value'],
    [{ whats_new_variant: 'none' }, 'whats_new_variant does not have a valid value'],
    [{ valid_runner_registrars: ['instance'] }, 'valid_runner_registrars does not have a valid value'],
    [{ rsa_key_restriction: 512 }, 'rsa_key_restriction does not have a valid value'],
    [{ repository_storages_weighted: 'default' }, 'repository_storages_weighted is invalid'],
    [{ kroki_formats: { bpmn: 'perhaps' } }, 'kroki_formats[bpmn] is invalid'],
    [{ default_branch_protection_defaults: 'x' }, 'default_branch_protection_defaults is invalid'],
    [{ elasticsearch_project_ids: 'one,two' }, 'elasticsearch_project_ids is invalid'],
  ])('%j is not an allowed value', async (body, error) => {
    expect(await answerTo(body)).toEqual([400, { error }])
  })

  it('are all reported in one error, and nothing is stored', async () => {
    const { body } = await put({ minimum_password_length: 7, max_attachment_size: 0, sign_in_text: 'x' })
    expect(body).toEqual({
      message: {
        minimum_password_length: ['must be greater than or equal to 8'],
        max_attachment_size: ['must be greater than 0'],
      },
    })
    expect((await w.as(w.root).get('/application/settings')).body.sign_in_text).toBeNull()
  })
})

describe('other names of settings', () => {
  it.each([
    ['password_authentication_enabled', 'password_authentication_enabled_for_web', false],
    ['signin_enabled', 'password_authentication_enabled_for_web', false],
    [
      'allow_local_requests_from_hooks_and_services',
      'allow_local_requests_from_web_hooks_and_services',
      true,
    ],
    ['admin_notification_email', 'abuse_notification_email', 'a@b.test'],
    ['asset_proxy_whitelist', 'asset_proxy_allowlist', ['a.test', '127.0.0.1']],
    ['throttle_unauthenticated_web_requests_per_period', 'throttle_unauthenticated_requests_per_period', 9],
    ['throttle_unauthenticated_web_period_in_seconds', 'throttle_unauthenticated_period_in_seconds', 9],
    ['akismet_api_key', 'spamcheck_api_key', 'k'],
    ['jira_connect_application_key', 'tracker_connect_application_key', 'k'],
    ['jira_connect_proxy_url', 'tracker_connect_proxy_url', 'https://t.test'],
    ['plantuml_url', 'diagramA_url', 'https://d.test'],
    ['diagramsnet_url', 'diagramB_url', 'https://e.test'],
    ['diagramsnet_enabled', 'diagramB_enabled', false],
    ['gitlab_dedicated_instance', 'dedicated_instance', true],
    ['gitlab_shell_operation_limit', 'shell_operation_limit', 5],
  ])('%s is %s', async (alias, name, value) => {
    const { status, body } = await put({ [alias]: value })
    expect([status, body[name], body[alias]]).toEqual([200, value, value])
    expect((await w.as(w.root).get('/application/settings')).body).toMatchObject({
      [name]: value,
      [alias]: value,
    })
  })

  it('require their settings under either name', async () => {
    expect((await answerTo({ plantuml_enabled: true }))[1]).toEqual({ error: 'diagramA_url is missing' })
    const { body } = await put({ plantuml_enabled: true, plantuml_url: 'https://d.test' })
    expect(body).toMatchObject({
      diagramA_enabled: true,
      plantuml_enabled: true,
      plantuml_url: 'https://d.test',
    })
    const pages = await put({
      throttle_unauthenticated_web_enabled: true,
      throttle_unauthenticated_web_requests_per_period: 10_000,
      throttle_unauthenticated_period_in_seconds: 60,
    })
    expect(pages.body).toMatchObject({
      throttle_unauthenticated_enabled: true,
      throttle_unauthenticated_requests_per_period: 10_000,
      throttle_unauthenticated_web_enabled: true,
    })
  })

  it.each([
    ['domain_allowlist_raw', 'domain_allowlist'],
    ['domain_denylist_raw', 'domain_denylist'],
    ['outbound_local_requests_allowlist_raw', 'outbound_local_requests_whitelist'],
    ['protected_paths_raw', 'protected_paths'],
    ['notes_create_limit_allowlist_raw', 'notes_create_limit_allowlist'],
    ['users_get_by_id_limit_allowlist_raw', 'users_get_by_id_limit_allowlist'],
  ])('%s is %s as one text', async (raw, name) => {
    const { body } = await put({ [raw]: 'a.test, b.test;c.test\nd.test  e.test\r\n' })
    const entries = ['a.test', 'b.test', 'c.test', 'd.test', 'e.test']
    expect([body[name], body[raw]]).toEqual([entries, entries.join('\n')])
  })

  it('find the group of the performance bar', async () => {
    const group = await w.make.group({ path: 'measurers' })
    const id = 'performance_bar_allowed_group_id'
    expect((await put({ performance_bar_allowed_group_path: 'measurers' })).body[id]).toBe(group.id)
    expect((await put({ performance_bar_enabled: false })).body[id]).toBeNull()
    expect((await put({ [id]: 'measurers' })).body[id]).toBe(group.id)
    expect((await put({ performance_bar_allowed_group_path: '' })).body[id]).toBeNull()
    expect((await put({ [id]: group.id })).body[id]).toBe(group.id)
  })

  it('are ignored if there is no choice, and change together with their other name', async () => {
    const { body } = await put({ hashed_storage_enabled: false, housekeeping_bitmaps_enabled: false })
    expect(body).toMatchObject({ hashed_storage_enabled: true, housekeeping_bitmaps_enabled: true })
    expect((await put({ send_user_confirmation_email: true })).body.email_confirmation_setting).toBe('hard')
    expect((await put({ email_confirmation_setting: 'soft' })).body.send_user_confirmation_email).toBe(false)
    expect((await put({ enabled_git_access_protocol: 'nil' })).body.enabled_git_access_protocol).toBeNull()
    expect(
      (await put({ disabled_oauth_sign_in_sources: ['elsewhere'] })).body.disabled_oauth_sign_in_sources,
    ).toEqual([])
  })
})

describe('GET /-/settings/catalogue', () => {
  it('is limited to administrators', async () => {
    expect((await w.as(w.make.user()).get('/-/settings/catalogue')).status).toBe(403)
    expect((await w.as(null).get('/-/settings/catalogue')).status).toBe(401)
  })

  it('has a default within the limits for every setting', () => {
    for (const setting of all.filter(({ kind }) => kind === 'number')) {
      const value = sampleOf(setting) as number
      expect([
        setting.name,
        value >= (setting.minimum ?? -Infinity),
        value <= (setting.maximum ?? Infinity),
      ]).toEqual([setting.name, true, true])
    }
  })
})
