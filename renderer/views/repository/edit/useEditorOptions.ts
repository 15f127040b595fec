import { useLocalStorage } from '@vueuse/core'
import { reactive, toRef } from 'vue'
import { indentOf } from './indent-of.ts'

/** How the text is written: indentation as the text has it already, wrapping as it was last chosen. */
export const useEditorOptions = (text: string) => {
  const wrap = useLocalStorage('deskforge.editor_wrap', true)
  return reactive({ indent: indentOf(text), wrap: toRef(wrap) })
}
