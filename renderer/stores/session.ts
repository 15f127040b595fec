import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import { api, onSignedOut, setCsrfToken } from '../api/client.ts'
import type { CurrentUser, Session } from '../api/types.ts'

/** Who is signed in, and what the instance says about itself. */
export const useSession = defineStore('session', () => {
  const session = ref<Session | null>(null)
  const user = computed<CurrentUser | null>(() => session.value?.user ?? null)
  const isAdmin = computed(() => user.value?.is_admin === true)
  const instance = computed(() => session.value?.instance ?? null)
  const firstRun = computed(() => session.value?.first_run === true)

  const adopt = (next: Session) => {
    session.value = next
    setCsrfToken(next.csrf_token)
  }

  const load = async () => adopt(await api('GET /-/session'))

  const signIn = async (login: string, password: string) => {
    adopt(await api('POST /-/session', { login, password }))
  }

  /** Ends the session and begins anew, so that nothing of the user stays in this window's memory. */
  const signOut = async () => {
    await api('DELETE /-/session')
    location.assign('/users/sign_in?stay')
  }

  const forget = () => {
    if (session.value?.user) session.value = { ...session.value, user: null }
  }
  onSignedOut(forget)

  return { session, user, isAdmin, instance, firstRun, adopt, load, signIn, signOut }
})
