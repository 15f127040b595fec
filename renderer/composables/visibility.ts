import { Globe, Lock, Shield } from '@lucide/vue'
import type { Visibility } from '../api/types.ts'
import { t } from '../locales/t.ts'

/** The labels of the visibility levels. */
export const VISIBILITIES = [
  {
    value: 'private',
    label: t('common.private'),
    icon: Lock,
    help: t('common.only_members_you_add'),
  },
  {
    value: 'internal',
    label: t('common.internal'),
    icon: Shield,
    help: t('common.anyone_signed_in_to_this_instance'),
  },
  {
    value: 'public',
    label: t('common.public'),
    icon: Globe,
    help: t('common.anyone_who_can_reach_this_instance'),
  },
] as const satisfies readonly { value: Visibility; label: string; icon: unknown; help: string }[]

/** The entry for a visibility; an unknown one counts as private. */
export const visibilityOf = (value: Visibility | undefined) =>
  VISIBILITIES.find((one) => one.value === value) ?? VISIBILITIES[0]
