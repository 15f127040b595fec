import { beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { catalogue, defaults as stored } from '../../../server/domains/settings/catalogue/settings.ts'
import { world, type TestUser, type World } from '../../support/world.ts'

/** The settings of a new instance. The decimal is a text. */
const defaults = { ...stored, polling_interval_multiplier: '1.0' }

let w: World
let user: TestUser
beforeAll(async () => {
  w = await world()
  user = w.make.user()
})
beforeEach(() => {
  w.ctx().db.exec("UPDATE application_settings SET changes = '{}'")
})
const put = (body: object) => w.as(w.root).put('/application/settings', body)

describe('GET /application/settings', () => {
  it('returns every setting with its value', async () => {
    const { status, body } = await w.as(w.root).get('/application/settings')
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: 1, ...defaults })
    expect(Object.keys(catalogue).filter((name) => !(name in body))).toEqual([])
    expect(body.signin_enabled).toBe(body.password_authentication_enabled_for_web)
  })
  it('is limited to administrators', async () => {
    expect((await w.as(user).get('/application/settings')).status).toBe(403)
    expect((await w.as(null).get('/application/settings')).status).toBe(401)
  })
})

describe('PUT /application/settings', () => {
  it('changes the given settings only, and publishes their names', async () => {
    const { status, body } = await put({ default_projects_limit: 5, sign_in_text: 'Hello' })
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ ...defaults, default_projects_limit: 5, sign_in_text: 'Hello' }),
    ])
    expect((await w.as(w.root).get('/application/settings')).body).toEqual(body)
    expect((await put({ sign_in_text: null })).body).toMatchObject({
      default_projects_limit: 5,
      sign_in_text: null,
    })
  })

  it('accepts lists in every format', async () => {
    expect((await put({ domain_allowlist: ['a.test', 'b.test'] })).body.domain_allowlist).toEqual([
      'a.test',
      'b.test',
    ])
    expect((await put({ domain_allowlist: 'c.test, d.test' })).body.domain_allowlist).toEqual([
      'c.test',
      'd.test',
    ])
    const form = await w
      .as(w.root)
      .put('/application/settings', new URLSearchParams([['domain_allowlist[]', 'e.test']]))
    expect(form.body.domain_allowlist).toEqual(['e.test'])
    expect((await put({ domain_allowlist: '' })).body.domain_allowlist).toEqual([])
  })

  it('accepts deprecated names', async () => {
    expect((await put({ signin_enabled: false })).body).toMatchObject({
      signin_enabled: false,
      password_authentication_enabled: false,
      password_authentication_enabled_for_web: false,
    })
    expect(
      (await put({ allow_local_requests_from_hooks_and_services: true })).body
        .allow_local_requests_from_web_hooks_and_services,
    ).toBe(true)
    expect(
      (await put({ signin_enabled: true, password_authentication_enabled_for_web: false })).body.error,
    ).toBe('password_authentication_enabled_for_web, signin_enabled are mutually exclusive')
  })

  it('takes effect immediately', async () => {
    await put({ minimum_password_length: 20, default_projects_limit: 1 })
    const person = { name: 'N', username: 'shortpass', email: 'n@example.test', password: 'fourteen chars' }
    expect((await w.as(w.root).post('/users', person)).body).toEqual({
      message: { password: ['is too short (minimum is 20 characters)'] },
    })
    const { body } = await w.as(w.root).post('/users', { ...person, password: 'more than twenty characters' })
    expect(body.projects_limit).toBe(1)
    await put({ default_project_visibility: 'internal', default_branch_name: 'trunk' })
    const project = await w.make.project({ with: 'readme' })
    expect(project).toMatchObject({ visibility: 'internal', default_branch: 'trunk' })
  })

  it.each([
    [{}, /^default_branch_name, .* are missing, at least one parameter must be provided$/],
    [{ unknown_setting: 1 }, /at least one parameter must be provided$/],
    [{ default_projects_limit: 'many' }, /^default_projects_limit is invalid$/],
    [{ default_project_visibility: 'secret' }, /^default_project_visibility does not have a valid value$/],
    [
      { restricted_visibility_levels: ['secret'] },
      /^restricted_visibility_levels does not have a valid value$/,
    ],
    [
      { signup_enabled: 'maybe', session_expire_delay: 'x' },
      /^signup_enabled is invalid, session_expire_delay is invalid$/,
    ],
    [{ default_branch_protection: 9 }, /^default_branch_protection does not have a valid value$/],
    [{ sign_in_text: { a: 1 } }, /^sign_in_text is invalid$/],
  ])('refuses %j', async (body, error) => {
    expect(await put(body)).toMatchObject({ status: 400, body: { error: expect.stringMatching(error) } })
  })

  it.each([
    [{ default_projects_limit: -1 }, 'default_projects_limit'],
    [{ default_branch_name: 'a..b' }, 'default_branch_name'],
    [{ default_branch_name: '-x' }, 'default_branch_name'],
    [{ default_branch_name: 'a b' }, 'default_branch_name'],
    [{ default_branch_name: 'x.lock' }, 'default_branch_name'],
    [{ domain_denylist_enabled: true }, 'domain_denylist'],
    [{ personal_access_token_prefix: 'a b' }, 'personal_access_token_prefix'],
  ])('refuses %j with an error of its field', async (body, field) => {
    const answer = await put(body)
    expect([answer.status, Object.keys(answer.body.message)]).toEqual([400, [field]])
    expect((await w.as(w.root).get('/application/settings')).body).toMatchObject(defaults)
  })

  it('is limited to administrators', async () => {
    expect((await w.as(user).put('/application/settings', { sign_in_text: 'x' })).status).toBe(403)
    expect((await w.as(null).put('/application/settings', { sign_in_text: 'x' })).status).toBe(401)
  })

  it('hides stored settings of other releases', async () => {
    w.ctx().db.exec(`UPDATE application_settings SET changes = '{"setting_of_another_release": 1}'`)
    expect((await w.as(w.root).get('/application/settings')).status).toBe(200)
    expect((await put({ sign_in_text: 'x' })).body).not.toHaveProperty('setting_of_another_release')
  })
})
