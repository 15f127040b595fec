import type { z } from 'zod'

import type { Param } from '../../../http/param.ts'

/** The type of a setting's field in the window. */
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

/** An allowed value of a setting. */
export interface Choice {
  readonly value: string | number
  readonly label: string
}

/** Options of a setting. */
export interface SettingOptions {
  /** The unit of the value. */
  readonly unit?: string
  /** The meaning of an empty value ("no limit", "main"). */
  readonly empty?: string
  /** Settings that a request must include when it turns this switch on. They cannot be blank while it is on. */
  readonly needs?: readonly string[]
  /** Settings that a request must include together with this switch. They can be blank. */
  readonly sentWith?: readonly string[]
  /** `here`: Deskforge uses the setting. `echo`: Deskforge only stores and returns it. */
  readonly effect?: 'here' | 'echo'
  /** The switch that this setting depends on, if the `needs` of the switch does not list the setting. */
  readonly below?: string
}

/** Limits of a value that do not depend on other settings. They are checked when the value changes. */
export interface Bounds {
  readonly min?: number
  readonly max?: number
  /** Exclusive limits, as in the contract's messages. */
  readonly above?: number
  readonly under?: number
}

/** A setting: its types in requests and answers, its default, and its texts. */
export interface Setting {
  readonly param: Param<unknown>
  readonly value: z.ZodType
  readonly default: unknown
  readonly kind: Kind
  readonly label: string
  readonly help: string
  readonly bounds: Bounds
  readonly choices: readonly Choice[] | null
  /** Whether null clears the value. */
  readonly clearable: boolean
  readonly about: SettingOptions
}

/** A setting with the type of its value. */
export interface TypedSetting<Value extends z.ZodType> extends Setting {
  readonly value: Value
  readonly default: z.output<Value>
}
