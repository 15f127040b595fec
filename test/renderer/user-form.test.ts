import { expect, it } from 'vitest'
import { effectScope, nextTick, shallowRef } from 'vue'

import { useUserForm, type UserDetails } from '../../renderer/views/users/useUserForm.ts'

const userWith = (note: string) => ({ id: 1, name: 'Ada', username: 'ada', note }) as UserDetails

/** The form of a user that is not loaded yet. */
function formOfUser() {
  const user = shallowRef<UserDetails>()
  return { user, ...effectScope().run(() => useUserForm(() => user.value))! }
}

it('the form of a user has the values of the account when it is loaded', async () => {
  const { user, form, isDirty } = formOfUser()
  user.value = userWith('first')
  await nextTick()
  expect([form.note, isDirty.value]).toEqual(['first', false])
})

it('the form of a user without changes follows an account that is loaded again', async () => {
  const { user, form, isDirty } = formOfUser()
  user.value = userWith('first')
  await nextTick()
  user.value = userWith('second')
  await nextTick()
  expect([form.note, isDirty.value]).toEqual(['second', false])
})

it('the form of a user keeps changes when the account is loaded again', async () => {
  const { user, form, changed } = formOfUser()
  user.value = userWith('first')
  await nextTick()
  form.note = 'mine'
  await nextTick()
  user.value = { ...userWith('second'), name: 'Ada L.' }
  await nextTick()
  expect([form.note, changed.value.note]).toEqual(['mine', 'mine'])
})
