import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { CATALOGUE } from '../../../server/domains/integrations/catalogue/index.ts'
import { world } from '../../support/world.ts'
import { LEAST } from './least.ts'

const here = await world()
const maintainer = here.make.user()
const project = await here.make.project({ visibility: 'public' })
await here.make.member('projects', project.id, maintainer, 40)
const as = here.as(maintainer)
const at = `/projects/${project.id}/integrations`
const alias = `/projects/${project.id}/services`

const NEW_FLAGS = {
  commit_events: true,
  push_events: true,
  issues_events: true,
  alert_events: true,
  incident_events: false,
  confidential_issues_events: true,
  merge_requests_events: true,
  tag_push_events: true,
  deployment_events: false,
  note_events: true,
  confidential_note_events: true,
  pipeline_events: true,
  wiki_page_events: true,
  job_events: true,
  vulnerability_events: false,
  comment_on_event_enabled: true,
  inherited: false,
}

describe('every integration', () => {
  it('is in the list of the contract', () => {
    const foreign = [...CATALOGUE.values()]
      .filter((integration) => integration.is_foreign)
      .map((integration) => integration.slug)
    expect([...LEAST.map(([slug]) => slug), ...foreign].sort()).toEqual([...CATALOGUE.keys()].sort())
  })

  it.each(LEAST)(
    'is set up, shown, deactivated and activated again: %s',
    async (slug, params, secrets = []) => {
      expect(await as.get(`${at}/${slug}`)).toMatchObject({
        status: 404,
        body: { message: '404 Integration Not Found' },
      })
      const made = await as.put(`${at}/${slug}`, params)
      expect([made.status, made.body.slug, made.body.active]).toEqual([200, slug, true])
      expect(made.body).toMatchObject({ ...NEW_FLAGS, title: expect.stringMatching(/./) })
      const shown = Object.fromEntries(Object.entries(params).filter(([name]) => !secrets.includes(name)))
      expect(made.body.properties).toMatchObject(shown)
      for (const name of secrets) expect(made.body.properties).not.toHaveProperty(name)
      expect((await as.get(`${alias}/${slug}`)).body).toEqual(made.body)
      const listed = (await as.get(at)).body.find(
        (integration: { slug: string }) => integration.slug === slug,
      )
      const { properties: _properties, ...entry } = made.body
      expect(listed).toEqual(entry)

      expect(await as.delete(`${at}/${slug}`)).toMatchObject({ status: 204, text: '' })
      const off = (await as.get(`${at}/${slug}`)).body
      expect([off.active, off.properties]).toEqual([false, made.body.properties])
      expect((await as.get(alias)).body.map((service: { slug: string }) => service.slug)).not.toContain(slug)
      const again = await as.put(`${alias}/${slug}`, params)
      expect([again.status, again.body.active, again.body.id]).toEqual([200, true, made.body.id])
    },
  )

  it.each(LEAST)('returns 400 without its required settings: %s', async (slug, params) => {
    const names = Object.keys(params)
    for (const path of [at, alias]) {
      const none = await as.put(`${path}/${slug}`, {})
      expect(none.status).toBe(400)
      for (const name of names) expect(none.body.error).toContain(`${name} is missing`)
    }
    for (const name of names) {
      const { [name]: _left, ...rest } = params
      const answer = await as.put(`${at}/${slug}`, rest)
      expect([answer.status, answer.body]).toEqual([400, { error: `${name} is missing` }])
      if (typeof params[name] !== 'string') continue
      const blank = await as.put(`${at}/${slug}`, { ...params, [name]: ' ' })
      expect([blank.status, blank.body]).toEqual([400, { message: '400 Bad Request' }])
      if (!/(^|_)url$|^webhook$/.test(name)) continue
      for (const url of ['nowhere', 'ftp://files.example', 'javascript:alert(1)', 'http://'])
        expect((await as.put(`${at}/${slug}`, { ...params, [name]: url })).body).toEqual({
          message: '400 Bad Request',
        })
    }
  })

  it('stores its secrets encrypted', () => {
    here.ctx().db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const files = readdirSync(here.dataDir).filter((name) => /\.(db|sqlite)/.test(name))
    expect(files.length).toBeGreaterThan(0)
    for (const name of files) {
      const bytes = readFileSync(join(here.dataDir, name), 'latin1')
      // A public value is in the file and a secret is not. The first check proves that the test reads the right files.
      expect(name.endsWith('wal') || name.endsWith('shm') || bytes.includes('jenkins.example')).toBe(true)
      expect(bytes).not.toContain('secret-')
    }
  })
})

describe('names of integrations', () => {
  it('return the contract’s error when they are unknown', async () => {
    const unknown = { error: 'slug does not have a valid value' }
    for (const path of [at, alias]) {
      expect(await as.get(`${path}/abacus`)).toMatchObject({ status: 400, body: unknown })
      expect(await as.delete(`${path}/abacus`)).toMatchObject({ status: 400, body: unknown })
      const put = await as.put(`${path}/abacus`, { webhook: 'https://x.example' })
      expect([put.status, put.body]).toEqual([404, { error: '404 Not Found' }])
    }
    expect((await as.put(`${at}/gitlab-slack-application`, {})).status).toBe(422)
  })
})

describe('permissions', () => {
  it('allow only maintainers', async () => {
    const developer = here.make.user()
    await here.make.member('projects', project.id, developer, 30)
    const hidden = await here.make.project({ visibility: 'private' })
    const params = { webhook: 'https://x.example' }
    for (const path of ['integrations', 'services']) {
      const calls = (client: typeof as, id: number) => [
        client.get(`/projects/${id}/${path}`),
        client.get(`/projects/${id}/${path}/slack`),
        client.put(`/projects/${id}/${path}/slack`, params),
        client.delete(`/projects/${id}/${path}/slack`),
      ]
      const statuses = async (client: typeof as, id: number) =>
        (await Promise.all(calls(client, id))).map((answer) => answer.status)
      expect(await statuses(here.as(developer), project.id)).toEqual([403, 403, 403, 403])
      expect(await statuses(here.as(null), project.id)).toEqual([401, 401, 401, 401])
      expect(await statuses(as, hidden.id)).toEqual([404, 404, 404, 404])
    }
  })
})
