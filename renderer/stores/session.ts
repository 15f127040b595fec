import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import { api, onSignedOut } from '../api/client.ts'
import { forgetProof, keepProof } from '../api/page-token.ts'
import type { CurrentUser, Session } from '../api/types.ts'

/** An address that a browser may be led to: a path of this instance, or another page of the web. */
const isPlace = (text: string): boolean => /^(https?:\/\/|\/(?!\/))/.test(text)

/** Who is signed in, and what the instance says about itself. */
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

  /** Asks for what opens files, without changing anything that is shown. */
  const renew = async () => {
    const next = await api('GET /-/session')
    if (next.user === null) forget()
    else if (next.user.id === user.value?.id) keepProof(next)
  }

  const signIn = async (login: string, password: string, remember_me = false) => {
    adopt(await api('POST /-/session', { login, password, remember_me }))
  }

  /** Lays down the rights of an administrator, which take the password to get back. */
  const leaveAdminMode = async () => adopt(await api('DELETE /-/session/admin'))

  /** Ends the session and begins anew, so that nothing of the user stays in this window's memory. */
  const signOut = async () => {
    const next = instance.value?.after_sign_out_path
    await api('DELETE /-/session')
    forgetProof()
    location.assign(next && isPlace(next) ? next : '/users/sign_in?stay')
  }

  const forget = () => {
    if (session.value?.user) session.value = { ...session.value, user: null }
  }
  onSignedOut(forget)

  return { session, user, isAdmin, instance, firstRun, adopt, load, renew, signIn, signOut, leaveAdminMode }
})
