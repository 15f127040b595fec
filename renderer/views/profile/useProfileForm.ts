import { computed, reactive } from 'vue'
import { useResetOnReload } from '../../composables/window/useResetOnReload.ts'
import { api, type Params, type Result } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'
import { useApi } from '../../api/useApi.ts'
import { useSession } from '../../stores/session.ts'
import { uploadedPicture } from '../../composables/appearance/picture.ts'
import { t } from '../../locales/t.ts'

type Profile = Result<'GET /-/profile'>

/** The editable profile fields; each is a text or a switch. */
const TEXTS = [
  'name',
  'username',
  'bio',
  'location',
  'organization',
  'job_title',
  'pronouns',
  'website_url',
  'linkedin',
  'twitter',
  'discord',
  'skype',
  'public_email',
  'commit_email',
] as const

type Form = Record<(typeof TEXTS)[number], string> & { private_profile: boolean }

const formOf = (profile: Profile | undefined): Form => {
  const texts = Object.fromEntries(TEXTS.map((name) => [name, String(profile?.[name] ?? '')]))
  return { ...texts, private_profile: profile?.private_profile ?? false } as Form
}

/** The own profile as a draft; only what differs is sent. */
export const useProfileForm = () => {
  const session = useSession()
  const saved = useApi('GET /-/profile', {})
  const profile = computed(() => saved.data.value)
  const form = reactive(formOf(profile.value))
  const changed = computed(() => {
    const before = formOf(profile.value)
    return Object.fromEntries(
      Object.entries(form).filter(([key, value]) => before[key as keyof Form] !== value),
    ) as Params<'PUT /-/profile'>
  })
  const isDirty = computed(() => profile.value !== undefined && Object.keys(changed.value).length > 0)
  const discard = () => Object.assign(form, formOf(profile.value))
  useResetOnReload(
    () => profile.value,
    () => isDirty.value,
    discard,
  )

  const afterwards = async () => {
    await Promise.all([saved.refetch(), session.load()])
    discard()
  }
  const save = useAction({
    report: 'form',
    invalidates: ['GET /users*'],
    run: () => api('PUT /-/profile', changed.value),
    done: t('common.saved'),
    onDone: afterwards,
  })
  const picture = useAction({
    invalidates: ['GET /users*'],
    run: (avatar: File | null) => api('PUT /-/profile', { avatar }),
    done: (after) =>
      uploadedPicture(after.avatar_url) ? t('profile.picture_updated') : t('profile.picture_removed'),
    onDone: afterwards,
  })
  return { saved, profile, form, isDirty, discard, save, picture }
}
