import { describe, expect, it } from 'vitest'

import {
  canPutAway,
  coloursOf,
  isShown,
  matchesPath,
  THEMES,
  type Broadcast,
} from '../../renderer/composables/appearance/broadcasts.ts'
import { contrast, longColour, readableOn } from '../../renderer/composables/appearance/colours.ts'
import { draftOf, inputOf, stateOf } from '../../renderer/views/appearance/message.ts'
import { templateOf } from '../../renderer/views/repository/edit/template-of.ts'

const START = Date.parse('2026-11-22T12:00:00.000Z')
const message: Broadcast = {
  id: 1,
  message: 'Maintenance at noon',
  message_html: '<p>Maintenance at noon</p>',
  starts_at: '2026-11-22T12:00:00.000Z',
  ends_at: '2026-11-22T13:00:00.000Z',
  color: null,
  font: null,
  target_access_levels: [],
  target_path: null,
  broadcast_type: 'banner',
  theme: 'indigo',
  dismissable: true,
}
const here = { now: START, path: '/salt/heron', level: null as number | null }

describe('a broadcast message', () => {
  it.each([
    [null, '/anywhere', true],
    ['', '/anywhere', true],
    ['/salt/heron', '/salt/heron', true],
    ['/salt/heron', '/salt/heron/-/issues', false],
    ['/salt/*', '/salt/heron/-/issues', true],
    ['/SALT/*', '/salt/heron', true],
    ['/salt/*', '/marsh/salt/heron', false],
    ['*/-/issues', '/salt/heron/-/issues', true],
    ['*/-/issues', '/salt/heron/-/issues/1', false],
    ['/salt/*/issues/*', '/salt/heron/-/issues/1', true],
    ['/salt*salt', '/salt', false],
    ['/a.b', '/axb', false],
    ['*', '/', true],
    [`${'*a'.repeat(100)}b`, `/${'a'.repeat(5000)}`, false],
  ])('with the path %s on %s is shown: %s', (pattern, path, expected) => {
    expect(matchesPath(pattern, path)).toBe(expected)
  })

  it('is shown from its start to its end', () => {
    const at = (now: number) => isShown(message, { ...here, now })
    expect([at(START - 1), at(START), at(START + 3_599_999), at(START + 3_600_000)]).toEqual([
      false,
      true,
      true,
      false,
    ])
    expect(stateOf(message, START - 1)).toBe('later')
    expect(stateOf(message, START)).toBe('now')
    expect(stateOf({ ...message, active: true }, START - 1)).toBe('now')
    expect(stateOf({ ...message, active: true }, START + 3_600_000)).toBe('over')
  })

  it('is shown only to its roles, by the level in the open project or group', () => {
    const forSome = { ...message, target_access_levels: [30, 40] }
    const as = (level: number | null) => isShown(forSome, { ...here, level })
    expect([as(null), as(20), as(30), as(40), as(50)]).toEqual([false, false, true, true, false])
  })
})

describe('dismissing a message', () => {
  it('is up to the administrator for banners, and always possible for notifications', () => {
    const fixed = { dismissable: false, broadcast_type: 'banner' as const }
    expect(canPutAway(fixed)).toBe(false)
    expect(canPutAway({ ...fixed, dismissable: true })).toBe(true)
    expect(canPutAway({ ...fixed, broadcast_type: 'notification' })).toBe(true)
  })
})

describe('the colors of a message', () => {
  it.each(Object.entries(THEMES))('are readable in the theme %s', (theme, [background, color]) => {
    expect(contrast(background, color)).toBeGreaterThanOrEqual(4.5)
    expect(coloursOf({ color: null, font: null, theme })).toEqual({ background, color })
  })

  it('are its own colors first, with readable text', () => {
    expect(coloursOf({ color: '#ff0', font: null, theme: 'red' })).toEqual({
      background: '#ff0',
      color: '#000000',
    })
    expect(coloursOf({ color: '#123456', font: '#eeeeee', theme: 'red' }).color).toBe('#eeeeee')
    expect(coloursOf({ color: 'url(x)', font: 'x', theme: 'none' })).toEqual({
      background: THEMES.indigo[0],
      color: THEMES.indigo[1],
    })
  })

  it('have a readable black or white text on any background', () => {
    for (const background of ['#777777', '#767676', '#888888', '#e75e40', '#ff0000', '#00f'])
      expect(contrast(readableOn(background), background)).toBeGreaterThanOrEqual(4.5)
    expect(longColour('#abc')).toBe('#aabbcc')
  })
})

describe('the request for a message', () => {
  it('omits times that were not changed', () => {
    const before = draftOf({ ...message, active: true }, START)
    const input = inputOf({ ...before, message: ' Later ', color: '#fff', target_path: ' ' }, before)
    expect(input).toEqual({
      message: 'Later',
      broadcast_type: 'banner',
      theme: 'indigo',
      color: '#fff',
      font: null,
      target_path: null,
      target_access_levels: [],
      dismissable: true,
    })
    const moved = inputOf({ ...before, ends: '2026-12-01T10:00' }, before)
    expect(moved.ends_at).toBe(new Date('2026-12-01T10:00').toISOString())
  })
})

describe('the template type of a file', () => {
  it.each([
    ['.gitignore', 'gitignores'],
    ['docs/.gitignore', 'gitignores'],
    ['LICENSE', 'licenses'],
    ['COPYING.md', 'licenses'],
    ['docker/Dockerfile', 'dockerfiles'],
    ['Dockerfile.dev', 'dockerfiles'],
    ['.gitlab-ci.yml', 'gitlab_ci_ymls'],
    ['ci/main.yml', 'gitlab_ci_ymls'],
    ['README.md', null],
    ['license/a.ts', null],
  ])('for %s is %s', (path, type) => {
    expect(templateOf(path, 'ci/main.yml')).toBe(type)
  })
})
