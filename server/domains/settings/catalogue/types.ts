import type { z } from 'zod'

/** What the window needs to show the field of a setting. */
export type Kind =
  | 'switch'
  | 'number'
  | 'decimal'
  | 'text'
  | 'markdown'
  | 'choice'
  | 'list'
  | 'choices'
  | 'numbers'
  | 'weights'
  | 'switches'
  | 'object'

/** One choice of a list of values. */
export interface Choice {
  readonly value: string | number
  readonly label: string
}

/** What may be said of a setting in addition to its type. */
export interface About {
  /** Unit that stands behind the value. */
  readonly unit?: string
  /** What an empty value means ("no limit", "main"). */
  readonly empty?: string
  /** Settings that have to be sent together with this switch when it is sent as true, and may not be blank while it is on. */
  readonly needs?: readonly string[]
  /** Settings that have to be sent together with this switch, blank or not. */
  readonly sentWith?: readonly string[]
  /** `here`: the application behaves as it says. `echo`: stored and answered for other tools alone. */
  readonly effect?: 'here' | 'echo'
  /** The setting (a switch) that this one belongs below, where `needs` does not say it. */
  readonly below?: string
}

/** Limits of a value that do not depend on other settings; checked when it is changed. */
export interface Bounds {
  readonly min?: number
  readonly max?: number
  /** Exclusive limits, as the contract's sentences have them. */
  readonly above?: number
  readonly under?: number
}

/** One setting: how it is written, how it is read, its value until somebody changes it, and how it is explained. */
export interface Setting {
  readonly param: z.ZodType
  readonly value: z.ZodType
  readonly default: unknown
  readonly kind: Kind
  readonly label: string
  readonly help: string
  readonly bounds: Bounds
  readonly choices: readonly Choice[] | null
  /** True where null empties it. */
  readonly clearable: boolean
  readonly about: About
}

/** A setting with the type of its value. */
export interface Typed<Value extends z.ZodType> extends Setting {
  readonly value: Value
  readonly default: z.output<Value>
}
