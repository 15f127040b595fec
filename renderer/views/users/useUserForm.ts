import { computed, reactive } from 'vue'
import type { Params, Result } from '../../api/client.ts'
import { useResetOnReload } from '../../composables/window/useResetOnReload.ts'

export type UserDetails = Extract<Result<'GET /users/:id'>, { is_admin?: unknown }>
type Given = Params<'PUT /users/:id'>

/** The fields of an account that administrators edit. */
export type UserForm = {
  name: string
  username: string
  email: string
  admin: boolean
  external: boolean
  can_create_group: boolean
  private_profile: boolean
  projects_limit: string
  note: string
}

const blank: UserForm = {
  name: '',
  username: '',
  email: '',
  admin: false,
  external: false,
  can_create_group: true,
  private_profile: false,
  projects_limit: '',
  note: '',
}

const formOf = (user: UserDetails): UserForm => ({
  name: user.name,
  username: user.username,
  email: user.email ?? '',
  admin: user.is_admin ?? false,
  external: user.external ?? false,
  can_create_group: user.can_create_group ?? true,
  private_profile: user.private_profile ?? false,
  projects_limit: String(user.projects_limit ?? ''),
  note: user.note ?? '',
})

/** The fields of an account as a draft; `changed` holds only what differs from the account. */
export const useUserForm = (user: () => UserDetails | undefined) => {
  const start = () => {
    const found = user()
    return found ? formOf(found) : { ...blank }
  }
  const form = reactive(start())
  const changed = computed(() => {
    const before = start()
    const entries = Object.entries(form).filter(([key, value]) => before[key as keyof UserForm] !== value)
    const { projects_limit: limit, ...rest } = Object.fromEntries(entries) as Partial<UserForm>
    return { ...rest, ...(limit ? { projects_limit: Number(limit) } : {}) } as Partial<Given>
  })
  const isDirty = computed(() => Object.keys(changed.value).length > 0)
  const discard = () => Object.assign(form, start())
  useResetOnReload(user, () => isDirty.value, discard)
  return { form, changed, isDirty, discard }
}
