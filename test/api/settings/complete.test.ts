import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import type { SettingDescription } from '../../../server/domains/settings/entity.ts'
import { world, type World } from '../../support/world.ts'
import { PROVED_ELSEWHERE } from './effects/elsewhere.ts'
import { sampleOf } from './sample.ts'

const here = import.meta.dirname
const FIELDS = readFileSync(join(here, '../../fixtures/settings/client-fields.txt'), 'utf8')
  .split('\n')
  .filter(Boolean)

let w: World
let all: SettingDescription[]
beforeAll(async () => {
  w = await world()
  const { body } = await w.as(w.root).get('/-/settings/catalogue')
  all = body.groups.flatMap((group: { settings: SettingDescription[] }) => group.settings)
})

/** Returns the names of settings with a test of their effect. */
function proved(): Set<string> {
  const names = new Set(Object.keys(PROVED_ELSEWHERE))
  for (const file of readdirSync(join(here, 'effects')).filter((name) => name.endsWith('.test.ts'))) {
    const text = readFileSync(join(here, 'effects', file), 'utf8')
    for (const [, name] of text.matchAll(/\bit\(\s*['"`]([a-zA-Z0-9_]+):/g)) names.add(name!)
    for (const [, name] of text.matchAll(/\bsetting: '([a-zA-Z0-9_]+)'/g)) names.add(name!)
    // Rows of a test table start with the name.
    for (const [, rows] of text.matchAll(/\bit\.each\(\[([\s\S]*?)\]\)\(\s*['"`]%s:/g))
      for (const [, name] of rows!.matchAll(/\[\s*'([a-zA-Z0-9_]+)',/g)) names.add(name!)
    for (const [, list] of text.matchAll(/\bsettings: \[([^\]]*)\]/g))
      for (const [, name] of list!.matchAll(/'([a-zA-Z0-9_]+)'/g)) names.add(name!)
  }
  return names
}

describe('the catalogue of settings', () => {
  it('knows every field that clients send or read', async () => {
    const { body } = await w.as(w.root).get('/application/settings')
    // Responses never contain these settings (spec administration 1.1).
    const unseen = [
      'asset_proxy_secret_key',
      'eks_secret_access_key',
      'performance_bar_allowed_group_path',
      'performance_bar_enabled',
    ]
    expect(FIELDS.filter((name) => !(name in body))).toEqual(unseen)
    for (const name of unseen) expect(body).not.toHaveProperty(name)
  })

  it('describes each setting and its dependencies', () => {
    const names = all.map(({ name }) => name)
    // The contract requires this setting, which has no effect.
    const known = [...names, 'housekeeping_bitmaps_enabled']
    expect(new Set(names).size).toBe(names.length)
    for (const setting of all) {
      expect([setting.name, setting.label.length > 3, /[.!?]$/.test(setting.help)]).toEqual([
        setting.name,
        true,
        true,
      ])
      for (const other of [...setting.needs, ...(setting.below ? [setting.below] : [])])
        expect(known).toContain(other)
      expect([setting.name, setting.kind === 'choice' || setting.kind === 'choices']).toEqual([
        setting.name,
        setting.choices !== null && setting.kind !== 'switches',
      ])
    }
  })

  it('has a test for every setting with an effect', () => {
    const done = proved()
    const provedHere = all.filter(({ effect }) => effect === 'here').map(({ name }) => name)
    expect({
      withoutProof: provedHere.filter((name) => !done.has(name)),
      provedButOnlyStored: [...done].filter((name) => !provedHere.includes(name)),
    }).toEqual({ withoutProof: [], provedButOnlyStored: [] })
  })

  it('names only test files that contain the setting', () => {
    for (const [name, file] of Object.entries(PROVED_ELSEWHERE)) {
      expect([name, readFileSync(join(here, '../../..', file), 'utf8').includes(name)]).toEqual([name, true])
    }
  })
})

describe('every setting', () => {
  it('returns the stored value, in every group', { timeout: 60_000 }, async () => {
    const { body } = await w.as(w.root).get('/-/settings/catalogue')
    const before = (await w.as(w.root).get('/application/settings')).body
    const sent: Record<string, unknown> = {}
    // Switches are sent together with required settings of another group.
    for (const group of body.groups) {
      const values = Object.fromEntries(
        group.settings.map((setting: SettingDescription) => [setting.name, sampleOf(setting)]),
      ) as Record<string, unknown>
      const needed = group.settings.flatMap((setting: SettingDescription) => setting.needs) as string[]
      for (const name of needed) {
        const other = all.find((setting) => setting.name === name)
        values[name] ??= other ? sampleOf(other) : true
      }
      const answer = await w.as(w.root).put('/application/settings', values)
      expect([group.name, answer.status, answer.status === 200 ? null : answer.body]).toEqual([
        group.name,
        200,
        null,
      ])
      Object.assign(sent, values)
    }
    const { body: read } = await w.as(w.root).get('/application/settings')
    for (const setting of all) {
      const [name, value] =
        setting.secret === 'hidden' ? [`${setting.name}_set`, true] : [setting.name, sent[setting.name]]
      // One decimal is returned as text.
      const shown = name === 'polling_interval_multiplier' ? Number(read[name]) : read[name]
      // The list always includes the host of the instance.
      const own = name === 'asset_proxy_allowlist' ? [new URL(w.url).hostname] : []
      expect([name, shown]).toEqual([name, own.length > 0 ? [...(value as string[]), ...own] : value])
    }
    const unchanged = all.filter(
      (setting) =>
        !setting.secret && JSON.stringify(read[setting.name]) === JSON.stringify(before[setting.name]),
    )
    expect(unchanged.length).toBeLessThan(30)
    // Values equal to the default are no longer stored.
    const back = Object.fromEntries(all.map((setting) => [setting.name, setting.default]))
    for (const setting of all)
      if (setting.kind === 'switch' && setting.needs.length > 0) back[setting.name] = false
    const last = await w.as(w.root).put('/application/settings', back)
    expect([last.status, last.status === 200 ? null : last.body]).toEqual([200, null])
    const sql = 'SELECT changes, secrets FROM application_settings'
    const row = w.ctx().db.one<{ changes: string; secrets: string }>(sql)
    const changed = all
      .filter((setting) => back[setting.name] !== setting.default)
      .map((setting) => setting.name)
    expect(Object.keys(JSON.parse(row!.changes) as object).toSorted()).toEqual(changed.toSorted())
    expect(row!.secrets).toBe('{}')
  })
})
