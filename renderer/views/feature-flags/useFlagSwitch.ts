import { useQueryCache } from '@pinia/colada'
import { reactive } from 'vue'
import { api } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { readKey } from '../../api/keys.ts'
import { useToasts } from '../../stores/toasts.ts'
import type { Flag } from './flag.ts'
import { t } from '../../locales/t.ts'

type Named = Pick<Flag, 'name' | 'active'>

/** Switches flags on and off: at once on the screen, with a way back, and as they were where the instance refuses. */
export const useFlagSwitch = (project: () => number) => {
  const cache = useQueryCache()
  const toasts = useToasts()
  const wanted = reactive(new Map<string, boolean>())
  const isOn = (flag: Named) => wanted.get(flag.name) ?? flag.active

  /** Sends requests until the last sent state is the wanted one, because the user may click again meanwhile. */
  const send = async (feature_flag_name: string) => {
    let active: boolean | undefined
    while (active !== wanted.get(feature_flag_name)) {
      active = wanted.get(feature_flag_name)!
      await api('PUT /projects/:id/feature_flags/:feature_flag_name', {
        id: project(),
        feature_flag_name,
        active,
      })
    }
    return active!
  }

  const flip = async (flag: Named, active: boolean, isUndo = false) => {
    const isUnderWay = wanted.has(flag.name)
    wanted.set(flag.name, active)
    if (isUnderWay) return
    try {
      const now = await send(flag.name)
      await cache
        .invalidateQueries({
          predicate: (entry) => /\/feature_flags/.test(readKey(entry.key)?.endpoint ?? ''),
        })
        .catch(() => undefined)
      const undo = { label: t('common.undo'), run: () => void flip({ ...flag, active: now }, !now, true) }
      toasts.show({
        text: t('feature_flags.name_is_part', {
          name: flag.name,
          part: now ? t('feature_flags.on_2') : t('feature_flags.off_2'),
        }),
        ...(isUndo || now === flag.active ? {} : { action: undo }),
      })
    } catch (error) {
      toasts.show({ text: messageOf(error), kind: 'bad' })
    } finally {
      wanted.delete(flag.name)
    }
  }
  return { isOn, flip }
}
