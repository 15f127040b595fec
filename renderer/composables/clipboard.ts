/** Puts a text on the clipboard; false where the browser does not allow it. */
export const copyText = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

/** Browsers give the clipboard interface to secure origins only; a plain address in the local network has this way. */
const copyBySelection = (text: string): boolean => {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'vh'
  document.body.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  return done
}
