import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import { api, onSignedOut } from '../api/client.ts'
import { forgetProof, keepProof } from '../api/page-token.ts'
import type { CurrentUser, Session } from '../api/types.ts'
import { keepClock } from '../composables/instanceClock.ts'

/** A safe redirect target: a path of this instance, or another web page. */
const isAddress = (text: string): boolean => /^(https?:\/\/|\/(?!\/))/.test(text)

/** The signed-in user and the data of the instance. */
export const useSession = defineStore('session', () => {
  const session = ref<Session | null>(null)
  const user = computed<CurrentUser | null>(() => session.value?.user ?? null)
  const isAdmin = computed(() => user.value?.is_admin === true)
  const instance = computed(() => session.value?.instance ?? null)
  const firstRun = computed(() => session.value?.first_run === true)

  const adopt = (next: Session) => {
    session.value = next
    keepProof(next)
  }

  const load = async () => adopt(await api('GET /-/session'))

  /** Requests a new file ticket without changing the shown state. */
  const renew = async () => {
    const next = await api('GET /-/session')
    keepClock(next.instance.clock)
    if (next.user === null) forget()
    else if (next.user.id === user.value?.id) keepProof(next)
  }

  const signIn = async (login: string, password: string, remember_me = false) => {
    adopt(await api('POST /-/session', { login, password, remember_me }))
  }

  /** Leaves admin mode; entering it again requires the password. */
  const leaveAdminMode = async () => adopt(await api('DELETE /-/session/admin'))

  /** Ends the session and reloads the window, so that no user data stays in memory. */
  const signOut = async () => {
    const next = instance.value?.after_sign_out_path
    await api('DELETE /-/session')
    forgetProof()
    location.assign(next && isAddress(next) ? next : '/users/sign_in?stay')
  }

  const forget = () => {
    if (session.value?.user) session.value = { ...session.value, user: null }
  }
  onSignedOut(forget)

  return { session, user, isAdmin, instance, firstRun, adopt, load, renew, signIn, signOut, leaveAdminMode }
})
