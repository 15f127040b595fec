import { expect, test } from 'vitest'

import {
  catalogue,
  isFallback,
  isKnown,
  KEPT,
  readField,
  storedValue,
} from '../../renderer/views/settings/catalogue.ts'

const password = catalogue.flatMap((group) => group.settings).find((one) => one.key === 'smtp_password')!

test('a secret is there or not, and nothing else is known of it', () => {
  expect(isKnown(password, { smtp_password_set: false })).toBe(true)
  expect(isKnown(password, {})).toBe(false)
  expect(storedValue(password, { smtp_password_set: false })).toBeNull()
  const stored = storedValue(password, { smtp_password_set: true })
  expect(stored).toBe(KEPT)
  expect([isFallback(password, stored), isFallback(password, null)]).toEqual([false, true])
})

test('an empty field leaves a secret as it is', () => {
  expect(readField(password, '')).toBeUndefined()
  expect(readField(password, ' sesame ')).toBe(' sesame ')
})
