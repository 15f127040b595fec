/**
 * Arguments for electron-builder about the signature for macOS. Apple silicon starts nothing without a valid one, and setting the
 * switches of Electron breaks the one that Electron comes with. Without a certificate the application gets a signature that
 * names nobody (`-`), which electron-builder makes only on request.
 */
export function identityFor({ CSC_LINK, CSC_NAME }) {
  return CSC_LINK || CSC_NAME ? [] : ['--config.mac.identity=-']
}
