import { expect, test } from 'vitest'

import {
  isDefault,
  isFound,
  isSame,
  KEPT,
  readField,
  valueLabel,
  storedValue,
  type Setting,
} from '../../renderer/views/settings/model.ts'

const setting = (more: Partial<Setting>): Setting => ({
  name: 'a_setting',
  label: 'A setting',
  help: 'What it changes.',
  kind: 'text',
  unit: null,
  empty: null,
  default: null,
  minimum: null,
  maximum: null,
  choices: null,
  needs: [],
  below: null,
  effect: 'here',
  secret: null,
  ...more,
})
const password = setting({ name: 'smtp_password', secret: 'hidden', empty: 'none' })
const size = setting({ kind: 'number', default: null, empty: 'no limit', unit: 'MB' })
const hosts = setting({ kind: 'list', default: [], empty: 'any' })
const protocol = setting({
  kind: 'choice',
  choices: [
    { value: 'nil', label: 'Both' },
    { value: 'ssh', label: 'Only SSH' },
  ],
})

test('a secret is shown as set or not set', () => {
  expect(storedValue(password, { smtp_password_set: false })).toBeNull()
  const stored = storedValue(password, { smtp_password_set: true })
  expect(stored).toBe(KEPT)
  expect([isDefault(password, stored), isDefault(password, null)]).toEqual([false, true])
  expect(storedValue(setting({ secret: 'shown' }), { a_setting: 'sesame' })).toBe('sesame')
})

test('a field is read according to its kind', () => {
  expect(readField(password, '')).toBeUndefined()
  expect(readField(password, ' sesame ')).toBe(' sesame ')
  expect(readField(size, '')).toBeNull()
  expect(readField(size, ' 20 ')).toBe(20)
  expect(readField(size, 'many')).toBe('many')
  expect(readField(setting({ kind: 'decimal' }), '0.5')).toBe(0.5)
  expect(readField(setting({ kind: 'text' }), '')).toBe('')
})

test('values are compared by their meaning', () => {
  expect(isDefault(hosts, [])).toBe(true)
  expect(isDefault(hosts, ['a.test'])).toBe(false)
  expect(isSame(setting({ empty: 'main' }), 'main', null)).toBe(true)
  expect(isSame(setting({}), '', null)).toBe(false)
  expect(isSame(setting({ kind: 'weights' }), { default: 100 }, { default: 100 })).toBe(true)
})

test('defaults are described in words', () => {
  expect(valueLabel(setting({ kind: 'switch' }), true)).toBe('on')
  expect(valueLabel(size, null)).toBe('no limit')
  expect(valueLabel(size, 2000)).toBe('2,000 MB')
  expect(valueLabel(protocol, null)).toBe('both')
  expect(valueLabel(hosts, ['a', 'b'])).toBe('a, b')
  expect(valueLabel(hosts, ['a', 'b', 'c', 'd'])).toBe('4 entries')
  expect(valueLabel(setting({ kind: 'weights' }), { default: 100 })).toBe('default 100')
})

test('a setting is found by every word of its texts', () => {
  expect(isFound(setting({}), 'Limits', 'setting changes')).toBe(true)
  expect(isFound(setting({}), 'Limits', 'limits a_set')).toBe(true)
  expect(isFound(setting({}), 'Limits', 'setting nowhere')).toBe(false)
})
