import { computed, reactive, shallowReactive, watch } from 'vue'
import { api, type Result } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'
import { useApi } from '../../api/useApi.ts'
import { t } from '../../locales/t.ts'

type Saved = Result<'GET /application/appearance'>

/** The pictures: as they are called, where they are shown, and what they may be. */
export const PICTURES = [
  {
    name: 'logo',
    label: t('appearance.logo'),
    help: t('appearance.on_the_sign_in_page_up_to_96_pixels'),
    accept: 'image/*',
  },
  {
    name: 'header_logo',
    label: t('appearance.sidebar_logo'),
    help: t('appearance.at_the_top_of_the_sidebar_24_pixels'),
    accept: 'image/*',
  },
  {
    name: 'favicon',
    label: t('appearance.favicon'),
    help: t('appearance.png_or_ico'),
    accept: '.png,.ico',
  },
  {
    name: 'pwa_icon',
    label: t('appearance.app_icon'),
    help: t('appearance.for_the_desktop_or_home_screen_png'),
    accept: '.png',
  },
] as const
export type PictureName = (typeof PICTURES)[number]['name']
/** A picture as it is written: another file, none (null), or as it is stored (undefined). */
export type Draft = File | null | undefined

const TEXTS = [
  'title',
  'short_title',
  'description',
  'pwa_name',
  'pwa_short_name',
  'pwa_description',
  'new_project_guidelines',
  'profile_image_guidelines',
  'header_message',
  'footer_message',
  'message_background_color',
  'message_font_color',
] as const
export type TextName = (typeof TEXTS)[number]
type Form = Record<TextName, string> & { email_header_and_footer_enabled: boolean }

const formOf = (saved: Saved | undefined): Form =>
  ({
    ...Object.fromEntries(TEXTS.map((name) => [name, saved?.[name] ?? ''])),
    email_header_and_footer_enabled: saved?.email_header_and_footer_enabled ?? false,
  }) as Form

/** How the instance looks, as a draft; only what differs is sent, and what was not touched follows what is stored. */
export const useAppearanceForm = () => {
  const saved = useApi('GET /application/appearance', {})
  let before = formOf(saved.data.value)
  const base = reactive({ ...before })
  const form = reactive({ ...before })
  const files = shallowReactive<Partial<Record<PictureName, Draft>>>({})
  watch(saved.data, (now) => {
    const next = formOf(now)
    for (const key of Object.keys(next) as (keyof Form)[])
      if (form[key] === before[key]) Object.assign(form, { [key]: next[key] })
    Object.assign(base, next)
    before = next
  })

  const changed = computed(() => ({
    ...Object.fromEntries(Object.entries(form).filter(([key, value]) => base[key as keyof Form] !== value)),
    ...Object.fromEntries(Object.entries(files).filter(([, file]) => file !== undefined)),
  }))
  const changes = computed(() => Object.keys(changed.value).length)
  const forgetFiles = () => {
    for (const { name } of PICTURES) delete files[name]
  }
  const discard = () => {
    Object.assign(form, base)
    forgetFiles()
    save.reset()
  }
  const save = useAction({
    report: 'form',
    invalidates: ['GET /application/appearance', 'GET /-/look'],
    run: () => api('PUT /application/appearance', changed.value),
    done: t('appearance.saved_everyone_sees_it_now'),
    onDone: (now) => {
      before = formOf(now)
      Object.assign(base, before)
      Object.assign(form, before)
      forgetFiles()
    },
  })

  /** Chooses a picture; the one that is stored again when there is nothing to take away. */
  const pick = (name: PictureName, file: File | null) => {
    if (file === null && !saved.data.value?.[name]) delete files[name]
    else files[name] = file
  }
  return { saved, form, files, changes, discard, save, pick }
}

export type AppearanceForm = ReturnType<typeof useAppearanceForm>
