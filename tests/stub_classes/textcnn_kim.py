# encoding: utf-8
import torch
import torch.nn as nn
import torch.nn.functional as F


class TextCNN(nn.Module):
	'''Convolutional Neural Networks for Sentence Classification'''

	def __init__(self, vocab_size=5000, embed_dim=64, num_classes=2, kernel_num=32, kernel_sizes=[3, 4, 5], dropout=0.5):
		super(TextCNN, self).__init__()
		self.embed = nn.Embedding(vocab_size, embed_dim, padding_idx=0)
		self.convs = nn.ModuleList([nn.Conv2d(1, kernel_num, (K, embed_dim)) for K in kernel_sizes])
		self.dropout = nn.Dropout(dropout)
		self.fc1 = nn.Linear(len(kernel_sizes) * kernel_num, num_classes)

	def conv_and_pool(self, x, conv):
		x = F.relu(conv(x)).squeeze(3)
		return F.max_pool1d(x, x.size(2)).squeeze(2)

	def forward(self, x):
		x = self.embed(x)  # (N, W, D)
		x = x.unsqueeze(1)  # (N, Ci, W, D)
		x = [self.conv_and_pool(x, conv) for conv in self.convs]
		x = torch.cat(x, 1)
		x = self.dropout(x)  # (N, len(Ks)*Co)
		logit = self.fc1(x)  # (N, C)
		return logit
