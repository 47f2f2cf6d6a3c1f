"""WordprocessingML packages: .docx and its relatives .docm, .dotx and .dotm."""
