import { Globe, Lock, Shield } from '@lucide/vue'
import type { Visibility } from '../api/types.ts'

/** The labels of the visibility levels. */
export const VISIBILITIES = [
  { value: 'private', label: 'Private', icon: Lock, help: 'Only members, and only those you let in.' },
  { value: 'internal', label: 'Internal', icon: Shield, help: 'Everyone who is signed in to this instance.' },
  {
    value: 'public',
    label: 'Public',
    icon: Globe,
    help: 'Everyone who can reach this instance, signed in or not.',
  },
] as const satisfies readonly { value: Visibility; label: string; icon: unknown; help: string }[]

/** The entry for a visibility; an unknown one counts as private. */
export const visibilityOf = (value: Visibility | undefined) =>
  VISIBILITIES.find((one) => one.value === value) ?? VISIBILITIES[0]
