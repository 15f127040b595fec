/** Saves a text as a file of the person at the window. */
export const download = (text: string, { name, type }: { name: string; type: string }) => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
